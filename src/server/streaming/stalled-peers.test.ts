/** Clients that stop reading, runtimes that never answer, frames in small packets: none of them holds the agent. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { maskFrame } from '../../../test/samples/sample-clients.ts';
import { OPCODE } from '../../../test/samples/web-socket-frames.ts';
import type { HttpRequest } from '../http/http-exchange.ts';
import { openSpdy } from './open-spdy.ts';
import { SpdyDecoder, SpdyEncoder } from './spdy-frames.ts';
import { translateWebSocket } from './translate-web-socket.ts';
import { TranslatedSession } from './translated-session.ts';
import { tunnelSpdy } from './tunnel-spdy.ts';
import { acceptWebSocket } from './web-socket-peer.ts';

const IDLE_MS = 60_000;
const LINGER_MS = 10_000;

/** Takes nothing of what is written to it. */
class Stalled extends Duplex {
  readonly written: Buffer[] = [];
  override _read(): void {}
  override _write(chunk: Buffer): void {
    this.written.push(chunk);
  }
}

/** Takes what is written and sends what the test pushes. */
class Talking extends Duplex {
  readonly written: Buffer[] = [];
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.written.push(chunk);
    done();
  }
}

const STREAMS = { stdin: true, stdout: true, stderr: false, tty: false };

const HANDSHAKE: HttpRequest = {
  method: 'GET',
  path: '/',
  query: new URLSearchParams('output=1'),
  headers: {
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-protocol': 'SPDY/3.1+portforward.k8s.io',
  },
  body: new Uint8Array(),
};

async function makeSession(client: Duplex, clock: FakeClock) {
  const runtime = new Talking();
  const none = Buffer.alloc(0);
  const peer = await acceptWebSocket(HANDSHAKE, { socket: client, head: none }, 'v5.channel.k8s.io');
  const session = new TranslatedSession({
    ...{ client, peer, runtime, rest: none, streams: STREAMS, protocol: 'v4.channel.k8s.io' },
    ...{ clock, idleTimeoutMs: IDLE_MS },
  });
  return { session, runtime };
}

async function listen(answer: string): Promise<{ server: Server; url: URL }> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x`) };
}

async function passes(clock: FakeClock, ms: number, work: Promise<unknown>): Promise<boolean> {
  let over = false;
  void work.then(
    () => {
      over = true;
    },
    () => {
      over = true;
    },
  );
  for (let i = 0; i < 20; i++) await new Promise(setImmediate);
  await clock.advance(ms);
  for (let i = 0; i < 20; i++) await new Promise(setImmediate);
  return over;
}

describe('a client that stops reading', () => {
  it('holds no WebSocket session after it is idle: it gets the linger of a raw connection', async () => {
    const clock = new FakeClock();
    const client = new Stalled();
    const { session } = await makeSession(client, clock);
    const ended = session.run(new AbortController().signal);
    assert.equal(await passes(clock, IDLE_MS, ended), false);
    assert.equal(await passes(clock, LINGER_MS, ended), true);
    assert.equal((await ended).endedBy, 'idle');
    assert.ok(client.destroyed);
    assert.equal(clock.pendingTimers, 0);
  });

  it('holds no WebSocket session whose command has ended beyond the idle timeout', async () => {
    const clock = new FakeClock();
    const client = new Stalled();
    const { session, runtime } = await makeSession(client, clock);
    const ended = session.run(new AbortController().signal);
    runtime.push(new SpdyEncoder().data(1, Buffer.from('{}'), true));
    runtime.push(null);
    assert.equal(await passes(clock, IDLE_MS, ended), true);
    assert.ok(client.destroyed);
    assert.equal(clock.pendingTimers, 0);
  });

  it('holds no WebSocket session when the agent stops', async () => {
    const clock = new FakeClock();
    const client = new Stalled();
    const { session } = await makeSession(client, clock);
    const stop = new AbortController();
    const ended = session.run(stop.signal);
    stop.abort();
    assert.equal(await passes(clock, LINGER_MS, ended), true);
    assert.ok(client.destroyed);
  });

  it('holds no SPDY tunnel', async () => {
    const clock = new FakeClock();
    const client = new Stalled();
    const { server, url } = await listen('HTTP/1.1 101 Switching Protocols\r\n\r\nhello');
    const settings = { clock, idleTimeoutMs: IDLE_MS };
    const connection = { socket: client, head: Buffer.alloc(0) };
    const ended = tunnelSpdy(url, HANDSHAKE, connection, new AbortController().signal, settings);
    while (client.written.length === 0) await new Promise(setImmediate);
    assert.equal(await passes(clock, IDLE_MS, ended), false);
    assert.equal(await passes(clock, LINGER_MS, ended), true);
    assert.ok(client.destroyed);
    server.close();
  });
});

describe('a runtime that accepts and never answers', () => {
  it('is given up after 30 s, for WebSocket sessions and SPDY tunnels too', async () => {
    const { server, url } = await listen('HTTP/1.1 101');
    const { signal } = new AbortController();
    for (const carry of [translateWebSocket, tunnelSpdy]) {
      const clock = new FakeClock();
      const client = new Talking();
      const asked = once(server, 'connection');
      const connection = { socket: client, head: Buffer.alloc(0) };
      const ended = carry(url, HANDSHAKE, connection, signal, { clock, idleTimeoutMs: 0 });
      await asked;
      while (clock.pendingTimers === 0) await new Promise(setImmediate);
      assert.equal(await passes(clock, 30_000, ended), true);
      assert.match(Buffer.concat(client.written).toString(), /^HTTP\/1\.1 500 /);
      assert.equal(clock.pendingTimers, 0);
    }
    const clock = new FakeClock();
    const opening = openSpdy(url, [], signal, clock);
    while (clock.pendingTimers === 0) await new Promise(setImmediate);
    const refused = assert.rejects(opening);
    await clock.advance(30_000);
    await refused;
    server.close();
  });
});

/** Counts the bytes that are copied by joining buffers, until disposed. */
class JoinedBytes implements Disposable {
  count = 0;
  readonly #original = Buffer.concat;

  constructor() {
    Buffer.concat = (list, total) => {
      const all = this.#original(list, total);
      this.count += all.length;
      return all;
    };
  }

  [Symbol.dispose](): void {
    Buffer.concat = this.#original;
  }
}

describe('frames in small packets', () => {
  const payload = Buffer.alloc(1024 * 1024, 0);

  it('WebSocket frames are joined once', async () => {
    const client = new Talking();
    const { session, runtime } = await makeSession(client, new FakeClock());
    const stop = new AbortController();
    const ended = session.run(stop.signal);
    await new Promise(setImmediate);
    const bytes = maskFrame(OPCODE.binary, payload);
    const received = (): number => runtime.written.reduce((sum, { length }) => sum + length, 0);
    using joining = new JoinedBytes();
    for (let at = 0; at < bytes.length; at += 100) client.push(bytes.subarray(at, at + 100));
    while (received() < payload.length) await new Promise(setImmediate);
    assert.ok(joining.count <= 4 * bytes.length, `${joining.count} bytes were joined`);
    stop.abort();
    await ended;
    client.destroy();
  });

  it('SPDY frames are joined once', () => {
    const bytes = new SpdyEncoder().data(1, payload);
    const decoder = new SpdyDecoder();
    let frames = 0;
    using joining = new JoinedBytes();
    for (let at = 0; at < bytes.length; at += 100)
      frames += [...decoder.push(bytes.subarray(at, at + 100))].length;
    assert.equal(frames, 1);
    assert.ok(joining.count <= 4 * bytes.length, `${joining.count} bytes were joined`);
  });

  it('a WebSocket is closed with the code that says what was wrong', async () => {
    for (const [bytes, code] of [
      [Buffer.from([0x82, 0x01, 0x00]), 1002],
      [Buffer.from([0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]), 1009],
    ] as const) {
      const client = new Talking();
      const { session } = await makeSession(client, new FakeClock());
      client.push(bytes);
      assert.equal((await session.run(new AbortController().signal)).endedBy, 'client');
      const last = Buffer.concat(client.written).subarray(-4);
      client.destroy();
      assert.deepEqual([last[0], last.readUInt16BE(2)], [0x80 | OPCODE.close, code]);
    }
  });
});
