import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import {
  FakeGrpcServer,
  type Handler,
  type ServedCall,
  toPrefix,
} from '../../../test/fakes/fake-grpc-server.ts';
import { computeRetryDelay } from '../../base/async/retry-delay.ts';
import { GrpcChannel, RECONNECT } from './grpc-channel.ts';
import { GrpcCode, GrpcError } from './grpc-status.ts';

interface Call {
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

class Setup implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly server: FakeGrpcServer;
  readonly channel: GrpcChannel;

  constructor(server: FakeGrpcServer, maxReceiveBytes?: number) {
    this.server = server;
    this.channel = new GrpcChannel({
      socketPath: server.socketPath,
      clock: this.clock,
      random: () => 0.5,
      ...(maxReceiveBytes === undefined ? {} : { maxReceiveBytes }),
    });
  }

  async call(options: Call = {}): Promise<Buffer[]> {
    const messages: Buffer[] = [];
    const onMessage = (message: Buffer): void => void messages.push(Buffer.from(message));
    await this.channel.call({ path: '/test.Echo/Call', body: Buffer.from('ping'), ...options, onMessage });
    return messages;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.channel.close();
    await this.server[Symbol.asyncDispose]();
    assert.equal(this.channel.openSessions, 0, 'sessions left after close');
    assert.equal(this.channel.openStreams, 0, 'streams left after close');
    assert.equal(this.clock.pendingTimers, 0, 'timers left after close');
  }
}

async function serve(handle: Handler, maxReceiveBytes?: number): Promise<Setup> {
  return new Setup(await FakeGrpcServer.start(handle), maxReceiveBytes);
}

const echo: Handler = (call) => {
  call.send(call.body);
  call.end(0);
};

async function rejectsWith(code: number, text: RegExp, call: Promise<unknown>): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof GrpcError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, text);
    return true;
  });
}

/** A handler that never answers, and the calls it was asked. */
function hang(): { handle: Handler; next: () => Promise<ServedCall> } {
  const waiting: ((call: ServedCall) => void)[] = [];
  const come: ServedCall[] = [];
  return {
    handle: (call) => {
      const waiter = waiting.shift();
      if (waiter) waiter(call);
      else come.push(call);
    },
    next: () => {
      const call = come.shift();
      return call ? Promise.resolve(call) : new Promise((resolve) => waiting.push(resolve));
    },
  };
}

describe('GrpcChannel', () => {
  it('makes a call with the headers of the protocol', async () => {
    let seen: ServedCall | undefined;
    await using setup = await serve((call) => {
      seen = call;
      echo(call);
    });
    const messages = await setup.call({ timeoutMs: 1500 });
    assert.deepEqual(messages.map(String), ['ping']);
    assert.equal(seen?.path, '/test.Echo/Call');
    assert.equal(seen.headers[':authority'], 'localhost');
    assert.equal(seen.headers['te'], 'trailers');
    assert.equal(seen.headers['content-type'], 'application/grpc');
    assert.equal(seen.headers['grpc-timeout'], '1500m');
  });

  it('sends nothing before the first call and then keeps one connection', async () => {
    await using setup = await serve(echo);
    assert.equal(setup.channel.openSessions, 0);
    await Promise.all([setup.call(), setup.call(), setup.call()]);
    await setup.call();
    assert.equal(setup.channel.openSessions, 1);
    assert.equal(setup.server.sessions.size, 1);
    assert.equal(setup.channel.openStreams, 0);
  });

  it('reports a trailers-only error with its decoded message', async () => {
    await using setup = await serve((call) => call.refuse(5, 'no such thing: "ü" 100%'));
    await rejectsWith(GrpcCode.NOT_FOUND, /^no such thing: "ü" 100%$/, setup.call());
  });

  it('reports an error status that follows messages', async () => {
    await using setup = await serve((call) => {
      call.send(Buffer.from('part'));
      call.end(2, 'broke');
    });
    await rejectsWith(GrpcCode.UNKNOWN, /^broke$/, setup.call());
  });

  it('hands over every message of a stream in order, however it is cut into chunks', async () => {
    const texts = ['a', '', 'bcd', 'x'.repeat(300)];
    await using setup = await serve((call) => {
      call.stream.respond({ ':status': 200 }, { waitForTrailers: true });
      call.stream.on('wantTrailers', () => call.stream.sendTrailers({ 'grpc-status': '0' }));
      const all = Buffer.concat(texts.flatMap((text) => [toPrefix(text.length), Buffer.from(text)]));
      for (const byte of all) call.stream.write(Buffer.of(byte));
      call.stream.end();
    });
    assert.deepEqual((await setup.call()).map(String), texts);
  });

  it('carries messages far larger than a flow control window, both ways', async () => {
    await using setup = await serve(echo);
    const body = Buffer.alloc(16 * 1024 * 1024, 'kubelet');
    const [answer] = await setup.call({ body });
    assert.ok(answer?.equals(body));
  });

  it('refuses a message above the limit and resets the stream', async () => {
    await using setup = await serve((call) => {
      call.send(Buffer.alloc(1001));
    }, 1000);
    const text = /^grpc: received message larger than max \(1001 vs\. 1000\)$/;
    await rejectsWith(GrpcCode.RESOURCE_EXHAUSTED, text, setup.call());
  });

  it('a status longer than HTTP/2 carries fails its own call and no other', async () => {
    const waiting = hang();
    await using setup = await serve((call) => {
      const [how = '', size = ''] = call.body.toString().split(' ');
      const text = 'A'.repeat(Number(size));
      if (how === 'end') call.end(GrpcCode.UNKNOWN, text);
      else if (how === 'refuse') call.refuse(GrpcCode.UNKNOWN, text);
      else waiting.handle(call);
    });
    const other = setup.call({ body: Buffer.from('other') });
    const call = await waiting.next();
    for (const how of ['end', 'refuse']) {
      for (const size of [65_536, 200_000, 1_000_000])
        await rejectsWith(
          GrpcCode.INTERNAL,
          /RST_STREAM/,
          setup.call({ body: Buffer.from(`${how} ${size}`) }),
        );
      await rejectsWith(GrpcCode.UNKNOWN, /^A{50000}$/, setup.call({ body: Buffer.from(`${how} 50000`) }));
    }
    call.send(Buffer.from('pong'));
    call.end(0);
    assert.deepEqual((await other).map(String), ['pong']);
    assert.equal(setup.channel.openSessions, 1);
  });

  it('takes only a number for the status: nothing at all is no success', async () => {
    for (const status of ['', ' ', '0x0', '-0', '1e0', 'OK']) {
      await using setup = await serve(({ stream }) =>
        stream.respond({ ':status': 200, 'grpc-status': status }, { endStream: true }),
      );
      await rejectsWith(GrpcCode.UNKNOWN, /^$/, setup.call());
    }
  });

  it('refuses a compressed message', async () => {
    await using setup = await serve((call) => {
      call.stream.respond({ ':status': 200 });
      call.stream.write(Buffer.concat([toPrefix(1, 1), Buffer.of(0)]));
    });
    await rejectsWith(GrpcCode.INTERNAL, /compressed/, setup.call());
  });

  it('reports a message cut off by the end of the stream', async () => {
    await using setup = await serve((call) => {
      call.stream.respond({ ':status': 200 }, { waitForTrailers: true });
      call.stream.on('wantTrailers', () => call.stream.sendTrailers({ 'grpc-status': '0' }));
      call.stream.end(toPrefix(10));
    });
    await rejectsWith(GrpcCode.INTERNAL, /truncated/, setup.call());
  });

  it('ends the call when a message cannot be taken', async () => {
    await using setup = await serve(echo);
    const onMessage = (): void => {
      throw new RangeError('bad message');
    };
    const call = setup.channel.call({ path: '/x/Y', body: Buffer.alloc(0), onMessage });
    await rejectsWith(GrpcCode.INTERNAL, /bad message/, call);
  });

  it('maps an answer that is not gRPC by its HTTP status', async () => {
    await using setup = await serve((call) => call.stream.respond({ ':status': 404 }, { endStream: true }));
    await rejectsWith(GrpcCode.UNIMPLEMENTED, /unexpected HTTP status 404/, setup.call());
  });

  it('maps a stream reset by the server', async () => {
    const codes = [
      [7, GrpcCode.UNAVAILABLE],
      [8, GrpcCode.CANCELLED],
      [11, GrpcCode.RESOURCE_EXHAUSTED],
      [2, GrpcCode.INTERNAL],
    ] as const;
    for (const [reset, code] of codes) {
      await using setup = await serve((call) => call.stream.close(reset));
      await rejectsWith(code, new RegExp(`RST_STREAM with error code ${reset}$`), setup.call());
    }
  });

  it('ends a call at its deadline and notifies the server', async () => {
    const server = hang();
    await using setup = await serve(server.handle);
    const call = setup.call({ timeoutMs: 2000 });
    call.catch(() => {});
    const { stream } = await server.next();
    const closed = once(stream, 'close');
    await setup.clock.advance(1999);
    assert.equal(setup.channel.openStreams, 1);
    await setup.clock.advance(1);
    await rejectsWith(GrpcCode.DEADLINE_EXCEEDED, /^context deadline exceeded$/, call);
    await closed;
    assert.equal(stream.rstCode, 8);
  });

  it('never ends a call without a deadline by time', async () => {
    const server = hang();
    await using setup = await serve(server.handle);
    const call = setup.call();
    const served = await server.next();
    await setup.clock.advance(365 * 24 * 3_600_000);
    assert.equal(setup.channel.openStreams, 1);
    served.end(0);
    await call;
  });

  it('ends a call when its signal aborts and notifies the server', async () => {
    const server = hang();
    await using setup = await serve(server.handle);
    const abort = new AbortController();
    const call = setup.call({ signal: abort.signal, timeoutMs: 1000 });
    const { stream } = await server.next();
    const closed = once(stream, 'close');
    abort.abort();
    await rejectsWith(GrpcCode.CANCELLED, /^context canceled$/, call);
    await closed;
    assert.equal(stream.rstCode, 8);
    assert.equal(setup.clock.pendingTimers, 0);
  });

  it('does not connect for a call that is already cancelled', async () => {
    await using setup = await serve(echo);
    await rejectsWith(GrpcCode.CANCELLED, /canceled/, setup.call({ signal: AbortSignal.abort() }));
    assert.equal(setup.channel.openSessions, 0);
  });

  it('fails calls under way when the server dies and recovers when it is back', async () => {
    const server = hang();
    await using setup = await serve((call) =>
      String(call.body) === 'hang' ? server.handle(call) : echo(call),
    );
    const call = setup.call({ body: Buffer.from('hang') });
    call.catch(() => {});
    await server.next();
    await setup.server.stop();
    await rejectsWith(GrpcCode.UNAVAILABLE, /connection lost/, call);
    assert.equal(setup.channel.openStreams, 0);
    await setup.server.listen();
    assert.deepEqual((await setup.call()).map(String), ['ping']);
    assert.equal(setup.channel.openSessions, 1);
  });

  it('keeps no sessions over many restarts', async () => {
    await using setup = await serve(echo);
    for (let i = 0; i < 10; i++) {
      await setup.call();
      await setup.server.stop();
      await setup.server.listen();
    }
    await setup.call();
    assert.equal(setup.channel.openSessions, 1);
  });

  it('fails at once while it backs off and connects afterwards', async () => {
    await using setup = new Setup(await FakeGrpcServer.create(echo));
    await rejectsWith(GrpcCode.UNAVAILABLE, /ENOENT/, setup.call());
    await setup.server.listen();
    await setup.clock.advance(99);
    await rejectsWith(GrpcCode.UNAVAILABLE, /ENOENT/, setup.call());
    assert.equal(setup.server.sessions.size, 0);
    await setup.clock.advance(1);
    assert.deepEqual((await setup.call()).map(String), ['ping']);
  });

  it('uses a new connection after GOAWAY and lets calls on the old one finish', async () => {
    const server = hang();
    await using setup = await serve((call) =>
      String(call.body) === 'hang' ? server.handle(call) : echo(call),
    );
    const slow = setup.call({ body: Buffer.from('hang') });
    const served = await server.next();
    const [old] = setup.server.sessions;
    old?.goaway(0);
    // A call that crosses the GOAWAY on its way is refused; that is all that may happen to it.
    const next = (): Promise<unknown> =>
      setup.call().catch((error) => assert.equal(error.code, GrpcCode.UNAVAILABLE));
    while (setup.channel.openSessions < 2) await next();
    assert.deepEqual((await setup.call()).map(String), ['ping']);
    served.send(Buffer.from('late'));
    served.end(0);
    assert.deepEqual((await slow).map(String), ['late']);
    while (setup.channel.openSessions > 1) await setup.call();
  });

  it('gives up on a server that accepts but says nothing', async () => {
    await using setup = new Setup(await FakeGrpcServer.create(echo));
    const sockets = new Set<Socket>();
    const mute = createServer((socket) => sockets.add(socket.on('error', () => {})));
    mute.listen(setup.server.socketPath);
    await once(mute, 'listening');
    const call = setup.call({ timeoutMs: 60_000 });
    call.catch(() => {});
    await once(mute, 'connection');
    await setup.clock.advance(5000);
    await rejectsWith(GrpcCode.UNAVAILABLE, /no answer within 5s/, call);
    for (const socket of sockets) socket.destroy();
    mute.close();
  });

  it('honours deadline and signal while it connects', async () => {
    await using setup = new Setup(await FakeGrpcServer.create(echo));
    const sockets = new Set<Socket>();
    const mute = createServer((socket) => sockets.add(socket.on('error', () => {})));
    mute.listen(setup.server.socketPath);
    await once(mute, 'listening');
    const abort = new AbortController();
    const cancelled = setup.call({ signal: abort.signal });
    const expired = setup.call({ timeoutMs: 50 });
    expired.catch(() => {});
    abort.abort();
    await rejectsWith(GrpcCode.CANCELLED, /canceled/, cancelled);
    await setup.clock.advance(50);
    await rejectsWith(GrpcCode.DEADLINE_EXCEEDED, /deadline/, expired);
    await setup.channel.close();
    for (const socket of sockets) socket.destroy();
    mute.close();
  });

  it('carries hundreds of calls at once; close cancels them and refuses later ones', async () => {
    const server = hang();
    await using setup = await serve(server.handle);
    const calls = Array.from({ length: 300 }, () => setup.call());
    const ends = Promise.allSettled(calls);
    for (let i = 0; i < calls.length; i++) await server.next();
    await setup.channel.close();
    for (const end of await ends)
      assert.equal(end.status === 'rejected' && end.reason.code, GrpcCode.CANCELLED);
    await rejectsWith(GrpcCode.CANCELLED, /closed/, setup.call());
  });
});

describe('GrpcChannel.close', () => {
  it('ends for everyone who waits for it', { timeout: 10_000 }, async () => {
    await using setup = await serve(echo);
    await setup.call();
    await Promise.all([setup.channel.close(), setup.channel.close()]);
  });
});

describe('RECONNECT', () => {
  it('starts at 100 ms, grows by 1.6 and stops at 3 s', () => {
    const delays = Array.from({ length: 10 }, (_, failures) =>
      Math.round(computeRetryDelay(RECONNECT, failures, 0.5)),
    );
    assert.deepEqual(delays, [100, 160, 256, 410, 655, 1049, 1678, 2684, 3000, 3000]);
  });

  it('stays within a fifth of the plain delay', () => {
    fc.assert(
      fc.property(
        fc.nat(500),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (failures, random) => {
          const plain = computeRetryDelay(RECONNECT, failures, 0.5);
          const delay = computeRetryDelay(RECONNECT, failures, random);
          assert.ok(delay >= 0.8 * plain - 1e-9 && delay <= 1.2 * plain + 1e-9);
        },
      ),
    );
  });
});
