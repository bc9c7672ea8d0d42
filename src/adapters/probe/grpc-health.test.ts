import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { grpcHealth } from './grpc-health.ts';

type Handler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, body: Buffer) => void;

async function serve(handler: Handler) {
  const server = createServer();
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => {});
    session.on('close', () => {
      sessions.delete(session);
      server.emit('session gone');
    });
  });
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => handler(stream, headers, Buffer.concat(chunks)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    idle: async () => {
      while (sessions.size > 0) await once(server, 'session gone');
    },
    [Symbol.asyncDispose]: async () => {
      for (const session of sessions) session.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const HEAD = { ':status': 200, 'content-type': 'application/grpc' };

function answer(stream: ServerHttp2Stream, message: readonly number[]): void {
  stream.respond(HEAD, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(Buffer.from([0, 0, 0, 0, message.length, ...message]));
}

const refuse = (stream: ServerHttp2Stream, code: number, message: string): void =>
  stream.respond({ ...HEAD, 'grpc-status': String(code), 'grpc-message': message }, { endStream: true });

function check(port: number, clock = new FakeClock(), service = '') {
  const options = { signal: new AbortController().signal, timeoutMs: 2000 };
  return grpcHealth(clock, { host: '127.0.0.1', port, service }, options);
}

describe('grpcHealth', () => {
  it('asks for the service over plain HTTP/2 and closes the connection', async () => {
    let asked: { headers: IncomingHttpHeaders; body: Buffer } | undefined;
    await using served = await serve((stream, headers, body) => {
      asked = { headers, body };
      answer(stream, [8, 1]);
    });
    const clock = new FakeClock();
    assert.equal(await check(served.port, clock, 'db'), undefined);
    assert.equal(asked?.headers[':path'], '/grpc.health.v1.Health/Check');
    assert.equal(asked?.headers[':authority'], `127.0.0.1:${served.port}`);
    assert.equal(asked?.headers['user-agent'], 'kube-probe/1.36');
    assert.deepEqual([...(asked?.body ?? [])], [0, 0, 0, 0, 4, 0x0a, 2, 0x64, 0x62]);
    await served.idle();
    assert.equal(clock.pendingTimers, 0);
  });

  it('names the state of a service that does not serve', async () => {
    const states: readonly (readonly [readonly number[], string])[] = [
      [[], 'UNKNOWN'],
      [[8, 2], 'NOT_SERVING'],
      [[8, 3], 'SERVICE_UNKNOWN'],
      // A field we do not know before the status, and a status of more than one byte.
      [[0x12, 1, 0x61, 8, 2], 'NOT_SERVING'],
      [[8, 0x81, 0x02], '257'],
    ];
    for (const [message, name] of states) {
      await using served = await serve((stream) => answer(stream, message));
      assert.deepEqual(await check(served.port), {
        kind: 'failure',
        message: `service unhealthy (responded with "${name}")`,
      });
    }
  });

  it('reports why a server refuses', async () => {
    const cases: readonly (readonly [number, string])[] = [
      [
        12,
        'error: this server does not implement the grpc health protocol (grpc.health.v1.Health): what service',
      ],
      [5, 'error: health rpc probe failed: rpc error: code = NotFound desc = what service'],
      [4, 'timeout: health rpc did not complete within 2s'],
    ];
    for (const [code, message] of cases) {
      await using served = await serve((stream) => refuse(stream, code, 'what%20service'));
      assert.deepEqual(await check(served.port), { kind: 'failure', message });
    }
  });

  it('fails when the answer does not come in time', async () => {
    const clock = new FakeClock();
    const asked = Promise.withResolvers<void>();
    await using served = await serve(() => asked.resolve());
    const result = check(served.port, clock);
    await asked.promise;
    await clock.advance(2000);
    assert.deepEqual(await result, {
      kind: 'failure',
      message: 'timeout: health rpc did not complete within 2s',
    });
    await served.idle();
    assert.equal(clock.pendingTimers, 0);
  });

  it('fails when nothing listens, or the listener never speaks HTTP/2', async () => {
    const clock = new FakeClock();
    const silent = createTcpServer();
    const connected = once(silent, 'connection');
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const result = check(port, clock);
    const [socket] = await connected;
    socket.resume();
    const hungUp = once(socket, 'close');
    await clock.advance(2000);
    assert.deepEqual(await result, {
      kind: 'failure',
      message: `timeout: failed to connect service "127.0.0.1:${port}" within 2s: context deadline exceeded`,
    });
    await hungUp;
    silent.close();
    await once(silent, 'close');
    assert.deepEqual(await check(port, clock), {
      kind: 'failure',
      message: `error: failed to connect service at "127.0.0.1:${port}": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    });
    assert.equal(clock.pendingTimers, 0);
  });
});
