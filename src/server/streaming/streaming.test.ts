import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { maskFrame, readFrames, SpdySession } from '../../../test/samples/sample-clients.ts';
import { hasCode } from '../../base/errors.ts';
import type { HttpRequest } from '../http/http-exchange.ts';
import { proxyUpgrade, type StreamOutcome } from './proxy-upgrade.ts';
import { parsePorts, parseStreams } from './stream-options.ts';
import { checkStreamTarget } from './stream-target.ts';
import { translateWebSocket } from './translate-web-socket.ts';
import { tunnelSpdy } from './tunnel-spdy.ts';

const clock = new FakeClock();
const IDLE_MS = 4 * 3600_000;
const settings = { clock, idleTimeoutMs: IDLE_MS };
let abort: AbortController;
let client: Socket;
let server: Socket;
let received: Buffer;
const servers: Server[] = [];

/** Both ends of a connection, as the listener passes one on. */
beforeEach(async () => {
  abort = new AbortController();
  received = Buffer.alloc(0);
  const listener = await listen((socket) => {
    server = socket;
  });
  client = connect({ port: portOf(listener), host: '127.0.0.1', allowHalfOpen: true });
  client.on('error', () => {});
  client.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
  });
  await once(listener, 'connection');
});
afterEach(async () => {
  client.destroy();
  server.destroy();
  for (const each of servers.splice(0)) each.close();
  assert.equal(clock.pendingTimers, 0);
});

async function listen(onConnection: (socket: Socket) => void): Promise<Server> {
  const listener = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    onConnection(socket);
  });
  servers.push(listener);
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return listener;
}

const portOf = (listener: Server): number => (listener.address() as AddressInfo).port;

async function answering(answer: string): Promise<URL> {
  const listener = await listen((socket) => {
    socket.once('data', () => socket.write(answer));
    socket.once('end', () => socket.end());
  });
  return new URL(`http://127.0.0.1:${portOf(listener)}/t`);
}

function toRequest(headers: Record<string, string>, query = ''): HttpRequest {
  return {
    method: 'GET',
    path: '/exec/ns/p/c',
    query: new URLSearchParams(query),
    headers,
    body: new Uint8Array(),
    peer: { address: '10.0.0.1' },
    upgrade: { rawHeaders: Object.entries(headers).flat(), target: '/exec/ns/p/c' },
  };
}

const SPDY = toRequest({ connection: 'Upgrade', upgrade: 'SPDY/3.1' });
const WEB_SOCKET = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};
const proxy = (url: URL, request = SPDY): Promise<StreamOutcome> =>
  proxyUpgrade(url, request, { socket: server, head: Buffer.alloc(0) }, abort.signal, settings);

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise(setImmediate);
}

describe('checkStreamTarget', () => {
  for (const url of [
    'http://127.0.0.1:1/',
    'http://127.8.8.8/',
    'http://localhost:1/x',
    'https://[::1]:1/',
    'unix:///run/s.sock',
  ])
    it(`allows ${url}`, () => checkStreamTarget(new URL(url)));
  for (const url of [
    'http://10.0.0.1/',
    'http://example.com/',
    'http://127.0.0.1.example.com/',
    'http://[fd00::1]/',
    'http://0.0.0.0/',
    'ftp://127.0.0.1/',
    'http://[::ffff:10.0.0.1]/',
  ])
    it(`refuses ${url}`, () =>
      assert.throws(
        () => checkStreamTarget(new URL(url)),
        (error) => hasCode(error, 'permission-denied'),
      ));
});

describe('proxyUpgrade', () => {
  it('passes a refusal on unchanged', async () => {
    const outcome = proxy(await answering('HTTP/1.1 403 Forbidden\r\nX-A: b\r\nContent-Length: 2\r\n\r\nno'));
    await until(() => received.includes('\r\n\r\nno'));
    client.end();
    await clock.advance(10_000);
    assert.equal((await outcome).status, 403);
    assert.equal(received.toString(), 'HTTP/1.1 403 Forbidden\r\nX-A: b\r\nContent-Length: 2\r\n\r\nno');
  });

  for (const status of [200, 301, 302, 307])
    it(`treats ${status} as a failure and does not follow it`, async () => {
      const url = await answering(`HTTP/1.1 ${status} X\r\nLocation: http://127.0.0.1:9/\r\n\r\n`);
      const { status: sent, problem } = await proxy(url);
      assert.equal(sent, 500);
      assert.equal(problem, `invalid upgrade response: status code ${status}`);
      await until(() => received.includes(`invalid upgrade response: status code ${status}\n`));
    });

  it('reports that the address does not answer', async () => {
    const listener = await listen(() => {});
    const url = new URL(`http://127.0.0.1:${portOf(listener)}/`);
    listener.close();
    await once(listener, 'close');
    const { problem } = await proxy(url);
    assert.match(problem ?? '', /^error dialing backend: /);
  });

  it('does not wait forever for an answer', async () => {
    let asked = false;
    const listener = await listen((socket) => {
      socket.once('data', () => {
        asked = true;
      });
    });
    const outcome = proxy(new URL(`http://127.0.0.1:${portOf(listener)}/`));
    await until(() => asked);
    await clock.advance(30_000);
    assert.equal((await outcome).status, 500);
  });

  it('delivers all that was sent before one side closed', async () => {
    const big = 'x'.repeat(3_000_000);
    const listener = await listen((socket) => {
      socket.once('data', () => socket.end(`HTTP/1.1 101 S\r\n\r\n${big}`));
    });
    const outcome = await proxy(new URL(`http://127.0.0.1:${portOf(listener)}/`));
    await until(() => client.readableEnded);
    assert.equal(received.length, 'HTTP/1.1 101 S\r\n\r\n'.length + big.length);
    assert.equal(outcome.endedBy, 'runtime');
  });

  it('ends an idle stream, and no other', async () => {
    const outcome = proxy(await answering('HTTP/1.1 101 S\r\n\r\n'));
    await until(() => received.includes('101'));
    await until(() => clock.pendingTimers > 0);
    await clock.advance(IDLE_MS - 1000);
    client.write('x');
    await until(() => server.bytesRead > 0);
    await new Promise(setImmediate);
    await clock.advance(IDLE_MS - 1000);
    assert.equal(client.readableEnded, false);
    await clock.advance(2000);
    assert.equal((await outcome).endedBy, 'idle');
  });

  it('ends when the agent stops', async () => {
    const outcome = proxy(await answering('HTTP/1.1 101 S\r\n\r\n'));
    await until(() => received.includes('101'));
    await until(() => clock.pendingTimers > 0);
    abort.abort();
    assert.equal((await outcome).endedBy, 'stop');
  });
});

describe('translateWebSocket', () => {
  const V5 = { ...WEB_SOCKET, 'sec-websocket-protocol': 'v5.channel.k8s.io, v4.channel.k8s.io' };
  let session: SpdySession;
  beforeEach(() => {
    session = new SpdySession();
  });
  afterEach(() => session.stop());

  async function begin(query: string): Promise<Promise<StreamOutcome>[]> {
    const url = await session.start();
    const outcome = translateWebSocket(
      url,
      toRequest(V5, query),
      { socket: server, head: Buffer.alloc(0) },
      abort.signal,
      settings,
    );
    return [outcome];
  }
  const messages = (): [number, string][] => {
    const body = received.subarray(received.indexOf('\r\n\r\n') + 4);
    return readFrames(body).map(({ opcode, payload }) =>
      opcode === 8 ? [-1, payload.toString('hex')] : [payload[0] ?? -2, payload.subarray(1).toString()],
    );
  };

  it('carries input, its end, output and the exit status', async () => {
    const [outcome] = await begin('input=1&output=1&error=1');
    await session.until(() => session.types.size === 4);
    assert.deepEqual(
      [...session.types],
      [
        ['error', 1],
        ['stdin', 3],
        ['stdout', 5],
        ['stderr', 7],
      ],
    );
    assert.match(session.head, /^POST \/exec\/t HTTP\/1\.1\r\n[\s\S]*Upgrade: SPDY\/3\.1/);
    assert.match(
      session.head,
      /X-Stream-Protocol-Version: v5\.channel\.k8s\.io\r\nX-Stream-Protocol-Version: v4/,
    );
    await until(() => received.includes('\r\n\r\n'));
    assert.match(
      received.toString(),
      /^HTTP\/1\.1 101 [\s\S]*Sec-WebSocket-Protocol: v5\.channel\.k8s\.io\r\n/,
    );
    client.write(maskFrame(2, Buffer.from('\0some')));
    client.write(maskFrame(2, Buffer.from([255, 0])));
    client.write(maskFrame(2, Buffer.from('\0after the end')));
    await session.until(() => session.received.some(([, , fin]) => fin));
    assert.deepEqual(session.received, [
      ['stdin', 'some', false],
      ['stdin', '', true],
    ]);
    session.send('error', '{"status":"Failure"}', true);
    session.send('stdout', 'out');
    session.send('stderr', 'err', true);
    session.send('stdout', '', true);
    assert.equal((await outcome)?.endedBy, 'runtime');
    await until(() => client.readableEnded);
    assert.deepEqual(messages(), [
      [1, ''],
      [1, 'out'],
      [2, 'err'],
      [3, '{"status":"Failure"}'],
      [-1, '03e8'],
    ]);
  });

  it('opens a stream for the size of a terminal, and none for its errors', async () => {
    const [outcome] = await begin('input=1&output=1&error=1&tty=1');
    await session.until(() => session.types.size === 4);
    assert.deepEqual([...session.types.keys()], ['error', 'stdin', 'stdout', 'resize']);
    client.write(maskFrame(2, Buffer.from('\x04{"Width":80,"Height":24}')));
    await session.until(() => session.received.length === 1);
    assert.deepEqual(session.received, [['resize', '{"Width":80,"Height":24}', false]]);
    client.end(maskFrame(8, Buffer.alloc(0)));
    assert.equal((await outcome)?.endedBy, 'client');
  });

  it('turns the plain-text errors of older runtimes into a Status', async () => {
    session.answer = session.answer.replace('v4.channel', 'v2.channel');
    const [outcome] = await begin('output=1');
    await session.until(() => session.types.size === 2);
    session.send('stdout', '', true);
    session.send('error', 'exit 1', true);
    await outcome;
    await until(() => client.readableEnded);
    const status = JSON.parse(messages().find(([channel]) => channel === 3)?.[1] ?? '');
    assert.equal(status.status, 'Failure');
    assert.equal(status.message, 'exit 1');
  });

  it('assigns all fragments of a message to its channel', async () => {
    const [outcome] = await begin('input=1&output=1');
    await session.until(() => session.types.size === 3);
    const first = maskFrame(2, Buffer.from('\0ab'));
    first[0] = 0x02;
    client.write(Buffer.concat([first, maskFrame(0, Buffer.from('cd'))]));
    await session.until(() => session.received.length === 1);
    assert.deepEqual(
      session.received.map(([type, text]) => `${type} ${text}`),
      ['stdin abcd'],
    );
    client.destroy();
    await outcome;
  });

  it('sends the runtime nothing of its own while a command runs', async () => {
    const [outcome] = await begin('output=1');
    await session.until(() => session.types.size === 2);
    await until(() => clock.pendingTimers === 1);
    await clock.advance(60_000);
    session.send('stdout', 'late', true);
    session.send('error', '{"status":"Success"}', true);
    await outcome;
    assert.deepEqual([session.pings, session.received], [[], []]);
  });

  for (const last of [false, true])
    it(`reports a failure when the runtime goes away ${last ? 'in the middle of its' : 'without a'} status`, async () => {
      const [outcome] = await begin('output=1');
      await session.until(() => session.types.size === 2);
      session.send('stdout', 'half of the output');
      if (last) session.send('error', '{"status":"Succ');
      session.end();
      await outcome;
      await until(() => client.readableEnded);
      const status = JSON.parse(messages().find(([channel]) => channel === 3)?.[1] ?? '');
      assert.equal(status.status, 'Failure');
      assert.match(status.message, /^the connection to the runtime was lost before the command ended/);
    });

  it('ends when a client sends an invalid frame', async () => {
    const [outcome] = await begin('output=1');
    await session.until(() => session.types.size === 2);
    client.write('garbage that is no frame at all');
    assert.equal((await outcome)?.endedBy, 'client');
  });

  it('refuses a request that is not a handshake', async () => {
    const headers = { ...V5, 'sec-websocket-version': '1' };
    const url = await session.start();
    const connection = { socket: server, head: Buffer.alloc(0) };
    const outcome = await translateWebSocket(url, toRequest(headers), connection, abort.signal, settings);
    assert.equal(outcome.status, 400);
  });
});

describe('tunnelSpdy', () => {
  it('carries the bytes of SPDY in messages', async () => {
    const listener = await listen((socket) => {
      socket.once('data', (head) => {
        assert.match(head.toString(), /^POST \/t[\s\S]*X-Stream-Protocol-Version: portforward\.k8s\.io\r\n/);
        socket.write('HTTP/1.1 101 S\r\n\r\nfirst');
        socket.on('data', (chunk) => socket.write(`<${chunk}>`));
      });
      socket.once('end', () => socket.end());
    });
    const headers = { ...WEB_SOCKET, 'sec-websocket-protocol': 'SPDY/3.1+portforward.k8s.io' };
    const url = new URL(`http://127.0.0.1:${portOf(listener)}/t`);
    const outcome = tunnelSpdy(
      url,
      toRequest(headers),
      { socket: server, head: Buffer.alloc(0) },
      abort.signal,
      settings,
    );
    await until(() => received.includes('first'));
    assert.match(received.toString(), /\r\nSec-WebSocket-Protocol: SPDY\/3\.1\+portforward\.k8s\.io\r\n/);
    client.write(maskFrame(2, Buffer.from('abc')));
    await until(() => received.includes('<abc>'));
    client.end(maskFrame(8, Buffer.alloc(0)));
    const { endedBy, bytesIn } = await outcome;
    assert.equal(endedBy, 'client');
    assert.equal(bytesIn, 3);
  });

  it('passes a refusal on', async () => {
    const headers = { ...WEB_SOCKET, 'sec-websocket-protocol': 'SPDY/3.1+portforward.k8s.io' };
    const url = await answering('HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone');
    const connection = { socket: server, head: Buffer.alloc(0) };
    assert.equal((await tunnelSpdy(url, toRequest(headers), connection, abort.signal, settings)).status, 404);
    await until(() => received.includes('404'));
  });
});

describe('parseStreams', () => {
  it('lets a terminal have one output, and asks for at least one stream', () => {
    const parse = (query: string) => parseStreams(new URLSearchParams(query));
    assert.deepEqual(parse('input=1&output=1&error=1&tty=1'), {
      value: { stdin: true, stdout: true, stderr: false, tty: true },
    });
    assert.deepEqual(parse('input=true&output=1'), {
      value: { stdin: false, stdout: true, stderr: false, tty: false },
    });
    for (const query of ['', 'tty=1', 'error=1&tty=1'])
      assert.deepEqual(parse(query), { problem: 'you must specify at least 1 of stdin, stdout, stderr' });
  });
});

describe('parsePorts', () => {
  const parse = (query: string, headers: Record<string, string> = { upgrade: 'websocket' }) =>
    parsePorts({ query: new URLSearchParams(query), headers });
  it('requires ports from WebSockets only', () => {
    assert.deepEqual(parse('port=80,443&port=65535'), { value: [80, 443, 65535] });
    assert.deepEqual(parse('', { upgrade: 'SPDY/3.1' }), { value: [] });
    const tunnel = { upgrade: 'websocket', 'sec-websocket-protocol': 'SPDY/3.1+portforward.k8s.io' };
    assert.deepEqual(parse('', tunnel), { value: [] });
  });
  for (const query of ['', 'port=', 'port=0', 'port=65536', 'port=-1', 'port=x', 'port=1,,2'])
    it(`refuses ${JSON.stringify(query)}`, () => assert.ok('problem' in parse(query)));
});
