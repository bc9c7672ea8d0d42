import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { FakeClock } from '../../test/fakes/fake-clock.ts';
import { SeededRandom } from '../../test/fakes/seeded-random.ts';
import { maskFrame } from '../../test/samples/sample-clients.ts';
import { EchoServer, toSampleSettings } from '../../test/samples/sample-main-server.ts';
import { createLogger } from '../base/log.ts';
import { HttpListener } from './http/http-listener.ts';
import { toMainRoutes } from './main-server.ts';

const SEED = 20_261;
const WARM_UP = 1_000;
const REQUESTS = 10_000;
const AT_A_TIME = 16;
const MAX_GROWTH_BYTES = 6 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const clock = new FakeClock({ startMs: Date.now() });
const log = createLogger({ format: 'json', verbosity: 0, now: () => 0, pid: 1, write: () => {} });

const PATHS = [
  '/healthz',
  '/pods',
  '/metrics',
  '/containerLogs/ns/p/c',
  '/containerLogs/ns/p/c?tailLines=x',
  '/exec/ns/p/c?output=1&command=a',
  '/exec/ns/p/c?output=1&error=1&input=1&tty=1',
  '/attach/ns/p/c?output=1',
  '/portForward/ns/p',
  '/portForward/ns/p?port=0',
  '/run/ns/p/c?cmd=x',
  '/checkpoint/ns/p/c?timeout=-',
  '/%00/../..//exec/',
  '/exec/%2e%2e/%2f/c?output=1',
  'http://elsewhere/exec/ns/p/c?output=1',
  '*',
];
const HEADS = [
  'Content-Length: 99999999999999999999',
  'Content-Length: -1',
  'Content-Length: 5\r\nContent-Length: 6',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked, gzip',
  'Connection: Upgrade\r\nUpgrade: SPDY/3.1',
  'Connection: Upgrade\r\nUpgrade: h2c',
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: v5.channel.k8s.io',
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: SPDY/3.1+portforward.k8s.io',
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 12\r\nSec-WebSocket-Protocol: v5.channel.k8s.io',
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.!!!',
  'Authorization: Bearer',
  'Expect: 100-continue',
  'Expect: something',
  'Accept: \x01',
  'Host: a\r\nHost: b',
];
const STREAMS = PATHS.filter((path) => /^\/(exec|attach|portForward)\//.test(path));
const UPGRADES = HEADS.filter((head) => /Upgrade: (SPDY|websocket\r\nSec-WebSocket-Version: 13)/.test(head));
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'CONNECT', 'PRI', 'G\x00T', ''];

describe('the main port', () => {
  const echo = new EchoServer();
  let listener: HttpListener;
  let port: number;
  let open = 0;

  before(async () => {
    const streamUrl = await echo.start();
    const user = { name: 'u', uid: '', groups: [], extra: {} };
    const settings = toSampleSettings({
      clock,
      log,
      tls: () => ({ certificate: undefined, key: undefined }),
      guard: async () => ({ user }),
      streamUrl: () => streamUrl,
    });
    // Without TLS, which would take most of the time and does not look at these requests.
    listener = new HttpListener({
      name: 'main',
      place: { address: '127.0.0.1', port: 0 },
      routes: toMainRoutes(settings),
      guard: settings.guard,
      kit: { clock, logger: log },
    });
    port = await listener.start();
  });
  after(async () => {
    await listener.stop();
    await echo.stop();
  });

  it(`is healthy after ${REQUESTS} malformed requests, with nothing grown`, {
    timeout: 120_000,
  }, async () => {
    const random = new SeededRandom(SEED);
    await sendMany(random, WARM_UP);
    const before = await heapAtRest();
    await sendMany(random, REQUESTS);
    const grown = (await heapAtRest()) - before;
    assert.ok(grown < MAX_GROWTH_BYTES, `the heap has grown by ${grown} bytes`);
    assert.equal(listener.openRequests, 0);
    assert.equal(listener.openStreams, 0);
    assert.equal(echo.openSockets, 0);
    assert.equal(open, 0);
    assert.equal(clock.pendingTimers, 0);
    assert.ok(echo.requests.length > 500, 'many of them got as far as the runtime');
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/healthz`)).text(), 'ok');
  });

  async function sendMany(random: SeededRandom, count: number): Promise<void> {
    let left = count;
    const work = async (): Promise<void> => {
      while (left-- > 0) await send(render(random));
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    while (listener.openRequests > 0 || listener.openStreams > 0 || echo.openSockets > 0)
      await new Promise(setImmediate);
  }

  /** Resolves when the connection is closed, which the server must do. */
  function send(bytes: Buffer): Promise<void> {
    return new Promise((resolve) => {
      open++;
      const socket: Socket = connect(port, '127.0.0.1', () => socket.end(bytes));
      socket.on('error', () => {});
      socket.resume();
      socket.once('close', () => {
        open--;
        resolve();
      });
    });
  }

  async function heapAtRest(): Promise<number> {
    for (let i = 0; i < 3; i++) {
      await new Promise(setImmediate);
      collectGarbage();
    }
    return process.memoryUsage().heapUsed;
  }
});

function render(random: SeededRandom): Buffer {
  const pick = <T>(items: readonly T[]): T => random.pick(items);
  const noise = (max: number): Buffer =>
    Buffer.from(
      Array.from({ length: Math.floor(random.next() * max) }, () => Math.floor(random.next() * 256)),
    );
  if (random.next() < 0.1) return noise(200);
  if (random.next() < 0.3) {
    // A request that is served, and then no frames, half frames, or frames out of order.
    const [path, head] = [pick(STREAMS), pick(UPGRADES)];
    const frames = Array.from({ length: random.int(4) }, () =>
      random.chance(0.5) ? maskFrame(random.int(16), noise(100)) : noise(50),
    );
    return Buffer.concat([Buffer.from(`GET ${path} HTTP/1.1\r\nHost: n\r\n${head}\r\n\r\n`), ...frames]);
  }
  const heads = ['Host: n', ...Array.from({ length: Math.floor(random.next() * 3) }, () => pick(HEADS))];
  if (random.next() < 0.05) heads.push(`X-Long: ${'y'.repeat(Math.floor(random.next() * 100_000))}`);
  const version = random.next() < 0.95 ? 'HTTP/1.1' : 'HTTP/9.9';
  const text = `${pick(METHODS)} ${pick(PATHS)} ${version}\r\n${heads.join('\r\n')}\r\n\r\n`;
  const body = random.next() < 0.5 ? noise(300) : Buffer.from('5\r\nhello\r\n0\r\n\r\n');
  const whole = Buffer.concat([Buffer.from(text, 'latin1'), body]);
  return random.next() < 0.1 ? whole.subarray(0, Math.floor(random.next() * whole.length)) : whole;
}
