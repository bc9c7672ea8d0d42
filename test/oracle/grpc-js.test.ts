/** Our gRPC client with a server of @grpc/grpc-js as its peer. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { Metadata, type ServerOptions, type ServerUnaryCall, status } from '@grpc/grpc-js';
import { GrpcChannel } from '../../src/adapters/grpc/grpc-channel.ts';
import type { GrpcRequest } from '../../src/adapters/grpc/grpc-exchange.ts';
import { GrpcCode, GrpcError } from '../../src/adapters/grpc/grpc-status.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { GrpcJsServer, type Served } from './grpc-js-server.ts';

const MIB = 2 ** 20;

class Peers implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly server: GrpcJsServer;
  readonly channel: GrpcChannel;

  constructor(server: GrpcJsServer) {
    this.server = server;
    const { clock } = this;
    this.channel = new GrpcChannel({ socketPath: server.socketPath, clock, random: () => 0.5 });
  }

  static async start(served: Served, options?: ServerOptions): Promise<Peers> {
    return new Peers(await GrpcJsServer.start(served, options));
  }

  async call(request: Partial<GrpcRequest> = {}): Promise<Buffer[]> {
    const messages: Buffer[] = [];
    const onMessage = (message: Buffer): void => void messages.push(Buffer.from(message));
    await this.channel.call({ path: '/test.Peer/Call', body: Buffer.from('ping'), onMessage, ...request });
    return messages;
  }

  stream(request: Partial<GrpcRequest> = {}): Promise<Buffer[]> {
    return this.call({ path: '/test.Peer/Stream', ...request });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.channel.close();
    this.server[Symbol.dispose]();
    assert.equal(this.channel.openSessions, 0, 'sessions left');
    assert.equal(this.channel.openStreams, 0, 'streams left');
    assert.equal(this.clock.pendingTimers, 0, 'timers left');
  }
}

const echo: Served = { call: ({ request }, done) => done(null, request) };

function fails(call: Promise<unknown>, code: number, message: RegExp): Promise<void> {
  return assert.rejects(call, (error) => {
    assert.ok(error instanceof GrpcError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    return true;
  });
}

/** A call that the server never answers, and a promise for its side of it. */
function hang(): { served: Served; come: Promise<ServerUnaryCall<Buffer, Buffer>> } {
  const come = Promise.withResolvers<ServerUnaryCall<Buffer, Buffer>>();
  return { served: { call: (call) => come.resolve(call) }, come: come.promise };
}

describe('GrpcChannel with a grpc-js server', () => {
  it('unary: one message each way, many at once on one connection', async () => {
    await using peers = await Peers.start(echo);
    const bodies = Array.from({ length: 200 }, (_, at) => Buffer.from(`message ${at}`));
    const answers = await Promise.all(bodies.map((body) => peers.call({ body })));
    assert.deepEqual(
      answers,
      bodies.map((body) => [body]),
    );
    assert.equal(peers.channel.openSessions, 1);
  });

  it('metadata: headers reach the server, binary ones too; what it sends with the answer is no message', async () => {
    await using peers = await Peers.start({
      call: (call, done) => {
        const answer = new Metadata();
        answer.set('x-answer', 'yes');
        call.sendMetadata(answer);
        const bin = call.metadata.get('x-bytes-bin')[0] as Buffer;
        const seen = { text: call.metadata.get('x-text'), bin: bin.toString('hex'), host: call.getHost() };
        done(null, Buffer.from(JSON.stringify(seen)), answer);
      },
    });
    const headers = { 'x-text': 'a b', 'x-bytes-bin': Buffer.of(0, 255).toString('base64') };
    const [answer] = await peers.call({ headers });
    assert.deepEqual(JSON.parse(String(answer)), { text: ['a b'], bin: '00ff', host: 'localhost' });
  });

  it('server streaming: thousands of messages in order, then OK', async () => {
    await using peers = await Peers.start({
      stream: (call) => {
        for (let at = 0; at < 3000; at++) call.write(Buffer.from(String(at)));
        call.end();
      },
    });
    const messages = await peers.stream();
    assert.deepEqual(
      messages.map(String),
      Array.from({ length: 3000 }, (_, at) => String(at)),
    );
  });

  it('server streaming: an error after messages is the outcome', async () => {
    await using peers = await Peers.start({
      stream: (call) => {
        call.write(Buffer.from('first'));
        call.emit('error', { code: status.ABORTED, details: 'stopped' });
      },
    });
    const seen: string[] = [];
    const call = peers.stream({ onMessage: (message) => void seen.push(String(message)) });
    await fails(call, GrpcCode.ABORTED, /^stopped$/);
    assert.deepEqual(seen, ['first']);
  });

  it('flow control: streams far larger than a window share the connection with small calls', async () => {
    const chunk = Buffer.alloc(MIB / 4, 'kubelet');
    await using peers = await Peers.start({
      ...echo,
      stream: async (call) => {
        for (let at = 0; at < 8; at++) if (!call.write(chunk)) await once(call, 'drain');
        call.end();
      },
    });
    const streams = Promise.all(Array.from({ length: 4 }, () => peers.stream()));
    assert.deepEqual((await peers.call()).map(String), ['ping']);
    for (const messages of await streams) {
      assert.equal(messages.length, 8);
      assert.ok(messages.every((message) => message.equals(chunk)));
    }
  });

  it('large messages: 15 MiB both ways; above the limit of a side RESOURCE_EXHAUSTED, and the next call works', async () => {
    await using peers = await Peers.start(
      { call: ({ request }, done) => done(null, request.length === 3 ? Buffer.alloc(17 * MIB) : request) },
      { 'grpc.max_receive_message_length': 16 * MIB },
    );
    const body = Buffer.alloc(15 * MIB, 'kubelet');
    const [answer] = await peers.call({ body });
    assert.ok(answer?.equals(body));
    const ours = /^grpc: received message larger than max \(17825792 vs\. 16777216\)$/;
    await fails(peers.call({ body: Buffer.from('big') }), GrpcCode.RESOURCE_EXHAUSTED, ours);
    await fails(
      peers.call({ body: Buffer.alloc(16 * MIB + 1) }),
      GrpcCode.RESOURCE_EXHAUSTED,
      /larger than max/,
    );
    assert.deepEqual((await peers.call()).map(String), ['ping']);
  });

  it('deadline: the server knows it and ends the call by itself', async () => {
    const { served, come } = hang();
    await using peers = await Peers.start(served);
    // Our clock stands still: what ends the call is the server.
    const call = peers.call({ timeoutMs: 50 });
    call.catch(() => {});
    const deadline = Number((await come).getDeadline());
    assert.ok(Math.abs(deadline - Date.now()) < 5000, String(deadline));
    await fails(call, GrpcCode.DEADLINE_EXCEEDED, /[Dd]eadline exceeded/);
  });

  it('deadline: ours ends the call and the server sees it cancelled', async () => {
    const { served, come } = hang();
    await using peers = await Peers.start(served);
    const call = peers.call({ timeoutMs: 60_000 });
    call.catch(() => {});
    const cancelled = once(await come, 'cancelled');
    await peers.clock.advance(60_000);
    await fails(call, GrpcCode.DEADLINE_EXCEEDED, /^context deadline exceeded$/);
    await cancelled;
  });

  it('cancellation: the server sees it, of a call that waits and of a stream under way', async () => {
    const { served, come } = hang();
    const streaming = Promise.withResolvers<void>();
    await using peers = await Peers.start({
      ...served,
      stream: (call) => {
        call.on('cancelled', streaming.resolve);
        call.write(Buffer.from('first'));
      },
    });
    const abort = new AbortController();
    const first = Promise.withResolvers<void>();
    const call = peers.call({ signal: abort.signal });
    const stream = peers.stream({ signal: abort.signal, onMessage: () => first.resolve() });
    const ends = Promise.allSettled([call, stream]);
    const cancelled = once(await come, 'cancelled');
    await first.promise;
    abort.abort();
    for (const end of await ends)
      assert.equal(end.status === 'rejected' && end.reason.code, GrpcCode.CANCELLED);
    await Promise.all([cancelled, streaming.promise]);
  });

  it('errors: every code, with its message in any script', async () => {
    await using peers = await Peers.start({
      call: ({ request }, done) => done({ code: Number(request), details: `100% "ü" 容器\n${request}` }),
    });
    for (let code = 1; code <= 16; code++)
      await fails(
        peers.call({ body: Buffer.from(String(code)) }),
        code,
        new RegExp(`^100% "ü" 容器\n${code}$`),
      );
  });

  it('errors: long messages arrive whole', async () => {
    await using peers = await Peers.start({
      call: ({ request }, done) => done({ code: status.UNKNOWN, details: 'A'.repeat(Number(request)) }),
    });
    for (const size of [1000, 20_000, 50_000])
      await fails(
        peers.call({ body: Buffer.from(String(size)) }),
        GrpcCode.UNKNOWN,
        new RegExp(`^A{${size}}$`),
      );
    assert.equal(peers.channel.openSessions, 1);
  });

  it('errors: a message that breaks the limit we announced costs its own call, and no other', async () => {
    const { served, come } = hang();
    await using peers = await Peers.start({
      call: (call, done) => {
        if (String(call.request) === 'hang') served.call?.(call, done);
        else if (String(call.request) === 'ping') done(null, call.request);
        else done({ code: status.UNKNOWN, details: 'A'.repeat(200_000) });
      },
    });
    const waiting = peers.call({ body: Buffer.from('hang') });
    const closed = fails(waiting, GrpcCode.CANCELLED, /closing/);
    await come;
    await fails(peers.call({ body: Buffer.from('long') }), GrpcCode.RESOURCE_EXHAUSTED, /RST_STREAM/);
    assert.deepEqual((await peers.call()).map(String), ['ping']);
    assert.deepEqual([peers.channel.openSessions, peers.channel.openStreams], [1, 1]);
    await peers.channel.close();
    await closed;
  });

  it('a method the server does not have is UNIMPLEMENTED', async () => {
    await using peers = await Peers.start(echo);
    await fails(peers.call({ path: '/test.Peer/None' }), GrpcCode.UNIMPLEMENTED, /does not implement/);
  });

  it('a server that compresses by default sends us plain messages, because we ask for none', async () => {
    await using peers = await Peers.start(echo, { 'grpc.default_compression_algorithm': 2 });
    const body = Buffer.alloc(10_000, 'a');
    assert.deepEqual(await peers.call({ body }), [body]);
  });

  it('GOAWAY: a call under way finishes, new calls get a new connection', async () => {
    const come = Promise.withResolvers<() => void>();
    await using peers = await Peers.start({
      call: ({ request }, done) => {
        if (String(request) === 'slow') come.resolve(() => done(null, request));
        else done(null, request);
      },
    });
    const slow = peers.call({ body: Buffer.from('slow') });
    const answer = await come.promise;
    peers.server.drain();
    // A call that crosses the GOAWAY on its way may be refused.
    const next = (): Promise<unknown> =>
      peers.call().catch((error) => assert.equal(error.code, GrpcCode.UNAVAILABLE, String(error)));
    while (peers.channel.openSessions < 2) await next();
    assert.deepEqual((await peers.call()).map(String), ['ping']);
    answer();
    assert.deepEqual((await slow).map(String), ['slow']);
    while (peers.channel.openSessions > 1) await peers.call();
  });

  it('a server that dies: UNAVAILABLE for calls under way', async () => {
    const { served, come } = hang();
    await using peers = await Peers.start(served);
    const call = peers.call();
    call.catch(() => {});
    await come;
    peers.server.kill();
    await assert.rejects(call, (error) => error instanceof GrpcError && error.code !== GrpcCode.OK);
    await fails(peers.call(), GrpcCode.UNAVAILABLE, /connection error/);
  });
});
