/** One peer floods a port; others are still served. Peers are addresses of the loopback network. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { silentLogger } from '../../../test/fakes/text-logger.ts';
import { type HttpReply, toTextReply } from './http-exchange.ts';
import { HttpListener } from './http-listener.ts';
import type { ListenerLimits } from './listener-limits.ts';
import type { HttpListenerSettings } from './listener-settings.ts';

const FLOODER = '127.0.0.66';
const API_SERVER = '127.0.0.2';
const GET = 'GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const UPGRADE = 'GET /up/ HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';

const clock = new FakeClock();
const log = silentLogger;
const listeners: HttpListener[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const listener of listeners.splice(0)) await listener.stop();
  assert.equal(clock.pendingTimers, 0);
});

async function start(
  parts: Pick<HttpListenerSettings, 'routes'> & Partial<HttpListenerSettings>,
  limits: Partial<ListenerLimits> = {},
): Promise<{ port: number; listener: HttpListener }> {
  const place = { address: '127.0.0.1', port: 0 };
  const kit = { clock, logger: log };
  const listener = new HttpListener({ name: 'test', place, kit, limits, ...parts });
  listeners.push(listener);
  return { port: await listener.start(), listener };
}

function open(port: number, from: string): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => {});
  sockets.push(socket);
  return socket;
}

async function exchange(port: number, from: string, text: string): Promise<string> {
  const socket = open(port, from);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}

const OK = [{ path: '/x', methods: 'any', handle: () => toTextReply(200, 'ok') }] as const;

describe('HttpListener under a flood', () => {
  it('unauthenticated memory: takes no more than 64 KiB of headers', async () => {
    const { port } = await start({ routes: OK });
    const ask = (bytes: number): Promise<string> =>
      exchange(port, FLOODER, GET.replace('Host: a', `Host: a\r\nX: ${'y'.repeat(bytes)}`));
    assert.match(await ask(60 * 1024), /^HTTP\/1\.1 200 /);
    assert.match(await ask(66 * 1024), /^HTTP\/1\.1 431 /);
  });

  it('connections of one peer leave room for those of another', async () => {
    const { port } = await start({ routes: OK }, { maxConnections: 4, maxPeerConnections: 3 });
    const flood = Array.from({ length: 10 }, () => open(port, FLOODER));
    await until(() => flood.filter(({ closed }) => closed).length === 7);
    assert.match(await exchange(port, API_SERVER, GET), /^HTTP\/1\.1 200 /);
    assert.equal(await exchange(port, FLOODER, GET), '');
    flood.find(({ closed }) => !closed)?.destroy();
    while ((await exchange(port, FLOODER, GET)) === '');
  });

  it('requests of one peer leave room for those of another', async () => {
    const release = Promise.withResolvers<void>();
    const handle = async ({ headers }: { headers: Record<string, unknown> }): Promise<HttpReply> => {
      if (headers['x-slow'] !== undefined) await release.promise;
      return toTextReply(200, 'ok');
    };
    const routes = [{ path: '/x', methods: 'any', handle }] as const;
    const { port, listener } = await start({ routes }, { maxRequests: 4, maxPeerRequests: 3 });
    const slow = GET.replace('Host: a', 'Host: a\r\nX-Slow: 1');
    const flood = Array.from({ length: 3 }, () => exchange(port, FLOODER, slow));
    await until(() => listener.openRequests === 3);
    assert.match(await exchange(port, FLOODER, GET), /^HTTP\/1\.1 429 /);
    assert.match(await exchange(port, API_SERVER, GET), /^HTTP\/1\.1 200 /);
    release.resolve();
    for (const answer of await Promise.all(flood)) assert.match(answer, /^HTTP\/1\.1 200 /);
  });

  it('requests that wait for the guard have a limit of their own', async () => {
    const release = Promise.withResolvers<void>();
    const user = { name: 'u', uid: '', groups: [], extra: {} };
    let asked = 0;
    const guard: NonNullable<HttpListenerSettings['guard']> = async ({ peer }) => {
      asked++;
      if (peer?.address === FLOODER) await release.promise;
      return { user };
    };
    const { port, listener } = await start({ routes: OK, guard }, { maxPeerUnknown: 2 });
    const flood = Array.from({ length: 2 }, () => exchange(port, FLOODER, GET));
    await until(() => asked === 2);
    assert.match(await exchange(port, FLOODER, GET), /^HTTP\/1\.1 429 /);
    assert.match(await exchange(port, API_SERVER, GET), /^HTTP\/1\.1 200 /);
    assert.equal(asked, 3);
    release.resolve();
    await Promise.all(flood);
    assert.equal(listener.openRequests, 0);
  });

  it('streams of one peer leave room for those of another', async () => {
    const takeOver: HttpReply['takeOver'] = async ({ socket }, signal) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
      await once(signal, 'abort');
    };
    const handle = (): HttpReply => ({ status: 101, headers: {}, body: '', takeOver });
    const routes = [{ path: '/up/', methods: 'any', upgrades: true, handle }] as const;
    const { port, listener } = await start({ routes }, { maxStreams: 3, maxPeerStreams: 2 });
    const flood = Array.from({ length: 2 }, () => open(port, FLOODER));
    for (const socket of flood) socket.write(UPGRADE);
    await until(() => listener.openStreams === 2);
    assert.match(await exchange(port, FLOODER, UPGRADE), /^HTTP\/1\.1 429 /);
    const other = open(port, API_SERVER);
    other.write(UPGRADE);
    assert.match(String(await once(other, 'data')), /^HTTP\/1\.1 101 /);
  });
});
