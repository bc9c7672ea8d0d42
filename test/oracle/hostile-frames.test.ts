/**
 * Our gRPC client with servers of others, behind a proxy that puts frames of
 * its own among theirs: whatever comes fails the call or the connection, never
 * hangs, and the next call works.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { GrpcChannel } from '../../src/adapters/grpc/grpc-channel.ts';
import { GrpcCode, GrpcError } from '../../src/adapters/grpc/grpc-status.ts';
import {
  Flag,
  FRAME_HEAD_BYTES,
  FrameType,
  Setting,
  toFrame,
  toNumberFrame,
  toSettingsFrame,
} from '../../src/adapters/h2/frame.ts';
import { encodeHeaders } from '../../src/adapters/h2/hpack-writer.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { FakeGrpcServer } from '../fakes/fake-grpc-server.ts';
import { GrpcJsServer } from './grpc-js-server.ts';

const { DATA, HEADERS, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION } =
  FrameType;

const PREFACE_BYTES = 24;

/** Passes on whole frames behind so many bytes of something else, so that others fit in between. */
function passFrames(from: Socket, to: Socket, skip: number, isPassed: (frame: Buffer) => boolean): void {
  let rest: Buffer = Buffer.alloc(0);
  let left = skip;
  from.on('data', (chunk) => {
    to.write(chunk.subarray(0, left));
    rest = Buffer.concat([rest, chunk.subarray(left)]);
    left -= Math.min(left, chunk.length);
    while (rest.length >= FRAME_HEAD_BYTES) {
      const end = FRAME_HEAD_BYTES + rest.readUIntBE(0, 3);
      if (rest.length < end) break;
      const frame = rest.subarray(0, end);
      if (isPassed(frame)) to.write(frame);
      rest = rest.subarray(end);
    }
  });
}

/** Of frames that the server may not have sent: it would take them amiss. */
function isAcknowledgement(frame: Buffer): boolean {
  return (frame[3] === PING || frame[3] === SETTINGS) && ((frame[4] ?? 0) & Flag.ACK) !== 0;
}

/** Passes on what client and server say. */
class FrameProxy implements Disposable {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #client: Socket | undefined;

  constructor(socketPath: string) {
    this.#server = createServer((client) => {
      this.#client = client;
      const server = connect(socketPath);
      for (const socket of [client, server]) this.#sockets.add(socket.on('error', () => {}));
      passFrames(client, server, PREFACE_BYTES, (frame) => !isAcknowledgement(frame));
      passFrames(server, client, 0, () => true);
      client.once('close', () => server.destroy());
      server.once('close', () => client.end());
    });
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as { port: number }).port;
  }

  /** Resolves when the client has them, or has gone. */
  async send(frames: readonly Uint8Array[]): Promise<void> {
    const client = this.#client;
    if (client === undefined) throw new Error('no connection');
    for (const frame of frames)
      if (!client.destroyed && !client.write(frame))
        await Promise.race([once(client, 'drain'), once(client, 'close')]);
  }

  end(): void {
    this.#client?.end();
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

interface Peer extends AsyncDisposable {
  readonly socketPath: string;
}

/** Answers `ping` at once, and what hangs when the test says so. */
type StartPeer = (onHang: (answer: () => void) => void) => Promise<Peer>;

const PEERS: Readonly<Record<string, StartPeer>> = {
  'node:http2': (onHang) =>
    FakeGrpcServer.start((call) => {
      const answer = (): void => {
        call.send(call.body);
        call.end(0);
      };
      if (String(call.body) === 'hang') onHang(answer);
      else answer();
    }),
  'grpc-js': async (onHang) => {
    const server = await GrpcJsServer.start({
      call: ({ request }, done) => {
        if (String(request) === 'hang') onHang(() => done(null, request));
        else done(null, request);
      },
    });
    const { socketPath } = server;
    return { socketPath, [Symbol.asyncDispose]: async () => server[Symbol.dispose]() };
  },
};

/** What an attack may cost: nothing, its call, or all calls of the connection. */
type Cost = 'nothing' | 'call' | 'connection';

const block = encodeHeaders([['x', 'y'.repeat(1000)]]);
const many = (count: number, frame: Buffer): Buffer[] => Array(count).fill(frame);
const goAway = (last: number): Buffer => {
  const detail = Buffer.alloc(8);
  detail.writeUInt32BE(last);
  return toFrame(GOAWAY, 0, 0, detail);
};

/** The call under way is stream 1. */
const ATTACKS: readonly (readonly [what: string, frames: readonly Buffer[], cost: Cost])[] = [
  ['a reset', [toNumberFrame(RST_STREAM, 1, 2)], 'call'],
  ['a reset of streams that never were', many(100, toNumberFrame(RST_STREAM, 99, 2)), 'nothing'],
  ['an end without a status', [toFrame(DATA, Flag.END_STREAM, 1, Buffer.alloc(0))], 'call'],
  ['a second head and no end', many(3, toFrame(HEADERS, Flag.END_HEADERS, 1, block)), 'call'],
  ['a message that is too large', [toFrame(DATA, 0, 1, Buffer.from([0, 0xff, 0, 0, 0]))], 'call'],
  ['a message that is compressed', [toFrame(DATA, 0, 1, Buffer.from([1, 0, 0, 0, 0]))], 'call'],
  ['headers beyond our limit', [toFrame(HEADERS, Flag.END_HEADERS, 1, Buffer.alloc(16_000, 0x88))], 'call'],
  ['a refusal of all', [goAway(0)], 'connection'],
  ['a drain', [goAway(1)], 'nothing'],
  ['a drain again and again', many(1000, goAway(1)), 'nothing'],
  ['pings', many(5000, toFrame(PING, 0, 0, Buffer.alloc(8))), 'nothing'],
  ['settings', many(5000, toSettingsFrame([[Setting.INITIAL_WINDOW_SIZE, 70_000]])), 'nothing'],
  ['a place for no call', [toSettingsFrame([[Setting.MAX_CONCURRENT_STREAMS, 0]])], 'nothing'],
  ['data for no stream', many(100, toFrame(DATA, 0, 77, Buffer.alloc(16_000))), 'nothing'],
  ['data beyond every window', many(1200, toFrame(DATA, 0, 0, Buffer.alloc(16_000))), 'nothing'],
  ['kinds of frames that do not exist', many(100, toFrame(0xee, 0xff, 1, Buffer.alloc(100))), 'nothing'],
  ['windows beyond 2^31', many(3, toNumberFrame(WINDOW_UPDATE, 0, 2 ** 31 - 1)), 'connection'],
  ['a window of its stream beyond 2^31', many(3, toNumberFrame(WINDOW_UPDATE, 1, 2 ** 31 - 1)), 'connection'],
  ['a push', [toFrame(PUSH_PROMISE, Flag.END_HEADERS, 1, Buffer.alloc(8))], 'connection'],
  ['a frame that is too large', [toFrame(DATA, 0, 1, Buffer.alloc(16_385))], 'connection'],
  [
    'headers without end',
    [toFrame(HEADERS, 0, 1, block), ...many(100, toFrame(CONTINUATION, 0, 1, block))],
    'connection',
  ],
  [
    'headers of nothing without end',
    [toFrame(HEADERS, 0, 1, Buffer.alloc(0)), ...many(100, toFrame(CONTINUATION, 0, 1, Buffer.alloc(0)))],
    'connection',
  ],
  [
    'headers with another frame in them',
    [toFrame(HEADERS, 0, 1, block), toFrame(PING, 0, 0, Buffer.alloc(8))],
    'connection',
  ],
  [
    'a number of no header',
    [toFrame(HEADERS, Flag.END_HEADERS, 1, Buffer.of(0xff, 0xff, 0xff, 0xff, 0xff, 0x0f))],
    'connection',
  ],
  [
    'a table of headers that is too large',
    [toFrame(HEADERS, Flag.END_HEADERS, 1, Buffer.of(0x3f, 0xff, 0xff, 0x0f))],
    'connection',
  ],
  ['padding beyond its frame', [toFrame(DATA, Flag.PADDED, 1, Buffer.of(200, 1))], 'connection'],
  ['noise', [Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')], 'connection'],
];

class Setup implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly hung = Promise.withResolvers<() => void>();
  readonly peer: Peer;
  readonly proxy: FrameProxy;
  readonly channel: GrpcChannel;

  private constructor(peer: Peer, proxy: FrameProxy, port: number) {
    this.peer = peer;
    this.proxy = proxy;
    const { clock } = this;
    this.channel = new GrpcChannel({ socketPath: { host: '127.0.0.1', port }, clock, random: () => 0.5 });
  }

  static async start(start: StartPeer): Promise<Setup> {
    let onHang = (_answer: () => void): void => {};
    const peer = await start((answer) => onHang(answer));
    const proxy = new FrameProxy(peer.socketPath);
    const setup = new Setup(peer, proxy, await proxy.listen());
    onHang = setup.hung.resolve;
    return setup;
  }

  async call(body: string): Promise<string> {
    let answer = '';
    const onMessage = (message: Buffer): void => {
      answer += message;
    };
    await this.channel.call({ path: '/test.Peer/Call', body: Buffer.from(body), onMessage });
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.channel.close();
    this.proxy[Symbol.dispose]();
    await this.peer[Symbol.asyncDispose]();
    const { openSessions, openStreams } = this.channel;
    assert.deepEqual([openSessions, openStreams, this.clock.pendingTimers], [0, 0, 0]);
  }
}

async function attack(start: StartPeer, frames: readonly Buffer[], cost: Cost): Promise<void> {
  await using setup = await Setup.start(start);
  const end = setup.call('hang').then(
    (answer) => answer,
    (error: unknown) => error,
  );
  const answer = await setup.hung.promise;
  await setup.proxy.send(frames);
  if (cost === 'nothing') answer();
  const outcome = await end;
  if (cost === 'nothing') assert.equal(outcome, 'hang');
  else assert.ok(outcome instanceof GrpcError && outcome.code !== GrpcCode.OK, String(outcome));
  if (cost === 'connection') assert.equal((outcome as GrpcError).code, GrpcCode.UNAVAILABLE);
  assert.equal(setup.channel.openStreams, 0);
  if (frames.some((frame) => frame[3] === SETTINGS && frame.readUInt32BE(11) === 0)) return;
  assert.equal(await setup.call('ping'), 'ping');
}

for (const [name, start] of Object.entries(PEERS))
  describe(`GrpcChannel with a server of ${name} and hostile frames`, { timeout: 60_000 }, () => {
    for (const [what, frames, cost] of ATTACKS)
      it(`${what}: costs ${cost}`, () => attack(start, frames, cost));

    it('an end in the middle of a frame costs the connection', async () => {
      await using setup = await Setup.start(start);
      const end = setup.call('hang').catch((error: unknown) => error);
      await setup.hung.promise;
      await setup.proxy.send([toFrame(DATA, 0, 1, Buffer.alloc(100)).subarray(0, 50)]);
      setup.proxy.end();
      assert.equal(((await end) as GrpcError).code, GrpcCode.UNAVAILABLE);
      assert.equal(await setup.call('ping'), 'ping');
    });
  });
