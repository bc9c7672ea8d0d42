import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { textLogger } from '../../../test/fakes/text-logger.ts';
import { hasCode } from '../../base/errors.ts';
import { type Handler, type HttpReply, type HttpRequest, toTextReply } from './http-exchange.ts';
import { HttpListener } from './http-listener.ts';
import type { ListenerLimits } from './listener-limits.ts';
import type { Route } from './route-list.ts';

const clock = new FakeClock();
let lines: string[];
const log = textLogger((line) => lines.push(line));
const kit = { clock, logger: log };
const listeners: HttpListener[] = [];
const sockets: Socket[] = [];

beforeEach(() => {
  lines = [];
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const listener of listeners.splice(0)) await listener.stop();
  assert.equal(clock.pendingTimers, 0);
});

function make(handle: Handler, limits: Partial<ListenerLimits> = {}, port = 0): HttpListener {
  const routes = [{ path: '/x', methods: 'any', handle }] as const;
  const listener = new HttpListener({
    name: 'test',
    place: { address: '127.0.0.1', port },
    routes,
    kit,
    limits,
  });
  listeners.push(listener);
  return listener;
}

/** Sends raw text and collects all that comes back until the other side closes. */
async function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

describe('HttpListener', () => {
  it('passes the request to the handler and sends the reply', async () => {
    let seen: HttpRequest | undefined;
    const port = await make((request) => {
      seen = request;
      return { status: 201, headers: { 'x-extra': '1' }, body: 'zwölf' };
    }).start();
    const response = await fetch(`http://127.0.0.1:${port}/%78?a=1`, { method: 'POST', body: 'hello' });
    assert.equal(response.status, 201);
    assert.equal(response.headers.get('content-length'), '6');
    assert.equal(response.headers.get('x-extra'), '1');
    assert.equal(await response.text(), 'zwölf');
    assert.equal(seen?.method, 'POST');
    assert.equal(seen?.path, '/x');
    assert.equal(seen?.query.get('a'), '1');
    assert.equal(Buffer.from(seen?.body ?? []).toString(), 'hello');
    assert.equal(seen?.headers['host'], `127.0.0.1:${port}`);
  });

  it('answers HEAD with the headers of the reply alone', async () => {
    const port = await make(() => toTextReply(200, 'ok')).start();
    const answer = await exchange(port, 'HEAD /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
    assert.match(answer, /content-length: 2\r\n/);
    assert.ok(answer.endsWith('\r\n\r\n'));
  });

  it('answers a request without a route, and a target that cannot be decoded', async () => {
    const port = await make(() => assert.fail('called')).start();
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/y`)).text(), '404 page not found\n');
    assert.equal((await fetch(`http://127.0.0.1:${port}/%zz`)).status, 400);
  });

  for (const [what, handle] of [
    ['throws', () => assert.fail('secret reason')],
    ['rejects', () => Promise.reject(new Error('secret reason'))],
  ] as const)
    it(`answers 500 without the reason when the handler ${what}, and goes on`, async () => {
      let failing = true;
      const port = await make(
        (): ReturnType<Handler> => (failing ? handle() : toTextReply(200, 'ok')),
      ).start();
      const response = await fetch(`http://127.0.0.1:${port}/x?token=s3cret`);
      assert.equal(response.status, 500);
      assert.equal(await response.text(), 'Internal Server Error\n');
      assert.equal(lines.length, 1);
      assert.match(lines[0] ?? '', /request failed.*listener="test".*path="\/x".*err="secret reason"/);
      assert.doesNotMatch(lines[0] ?? '', /s3cret/);
      failing = false;
      assert.equal((await fetch(`http://127.0.0.1:${port}/x`)).status, 200);
    });

  for (const [what, head] of [
    ['announced', 'Content-Length: 100000'],
    ['chunked', 'Transfer-Encoding: chunked'],
  ] as const)
    it(`refuses a longer ${what} body than allowed and closes`, async () => {
      const port = await make(() => assert.fail('called'), { maxBodyBytes: 10 }).start();
      const answer = await exchange(
        port,
        `POST /x HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n14\r\n${'y'.repeat(20)}\r\n`,
      );
      assert.match(answer, /^HTTP\/1\.1 413 /);
      assert.match(answer, /connection: close/i);
      assert.ok(answer.endsWith('413 Request Entity Too Large\n'));
    });

  it('takes a body of exactly the allowed length', async () => {
    const port = await make(({ body }) => toTextReply(200, String(body.length)), {
      maxBodyBytes: 10,
    }).start();
    const response = await fetch(`http://127.0.0.1:${port}/x`, { method: 'POST', body: 'y'.repeat(10) });
    assert.equal(await response.text(), '10');
  });

  it('refuses headers longer than allowed', async () => {
    const port = await make(() => assert.fail('called'), { maxHeaderBytes: 200 }).start();
    const answer = await exchange(port, `GET /x HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(300)}\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 431 /);
  });

  it('aborts the handler when the client goes away, and logs no failure', async () => {
    const called = Promise.withResolvers<AbortSignal>();
    const handled = Promise.withResolvers<void>();
    const port = await make(async (_request, signal) => {
      called.resolve(signal);
      await once(signal, 'abort');
      handled.resolve();
      throw new Error('aborted');
    }).start();
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /x HTTP/1.1\r\nHost: a\r\n\r\n'));
    await called.promise;
    socket.destroy();
    await handled.promise;
    await new Promise(setImmediate);
    assert.deepEqual(lines, []);
  });

  it('names address and port when they are taken, and can be started again', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const listener = make(() => toTextReply(200, 'ok'), {}, port);
    await assert.rejects(listener.start(), (error) => {
      assert.ok(hasCode(error, 'unavailable'));
      assert.equal(error.message, `cannot listen on "127.0.0.1:${port}": address already in use`);
      return true;
    });
    other.close();
    await once(other, 'close');
    assert.equal(await listener.start(), port);
    await assert.rejects(listener.start(), /starts once/);
  });

  it('names an address this host does not have', async () => {
    const listener = new HttpListener({
      name: 'test',
      place: { address: '2001:db8::1', port: 4 },
      routes: [],
      kit,
    });
    await assert.rejects(listener.start(), /^AgentError: cannot listen on "\[2001:db8::1\]:4": /);
  });

  it('stops at once despite idle connections, and accepts no more', async () => {
    const listener = make(() => toTextReply(200, 'ok'));
    const port = await listener.start();
    const used = connect(port, '127.0.0.1', () => used.write('GET /x HTTP/1.1\r\nHost: a\r\n\r\n'));
    await once(used, 'data');
    const closed = once(used, 'close');
    await listener.stop();
    await closed;
    const refused = connect(port, '127.0.0.1');
    const [error] = await once(refused, 'error');
    assert.equal((error as NodeJS.ErrnoException).code, 'ECONNREFUSED');
  });

  it('lets a request under way end when stopping, and aborts its signal', async () => {
    const called = Promise.withResolvers<void>();
    const listener = make(async (_request, signal) => {
      called.resolve();
      await once(signal, 'abort');
      return toTextReply(200, 'last words');
    });
    const port = await listener.start();
    const answer = exchange(port, 'GET /x HTTP/1.1\r\nHost: a\r\n\r\n');
    await called.promise;
    await listener.stop();
    assert.match(await answer, /connection: close[\s\S]*last words$/i);
  });

  it('ends a request that does not end in time when stopping', async () => {
    const called = Promise.withResolvers<void>();
    const listener = make(
      () => {
        called.resolve();
        return new Promise(() => {});
      },
      { stopGraceMs: 700 },
    );
    const port = await listener.start();
    const answer = exchange(port, 'GET /x HTTP/1.1\r\nHost: a\r\n\r\n');
    await called.promise;
    const stopped = listener.stop();
    assert.equal(clock.nextTimerAtMs, clock.now() + 700);
    await clock.advance(700);
    await stopped;
    assert.equal(await answer, '');
  });

  it('stops without having been started, but never starts after that', async () => {
    const listener = make(() => toTextReply(200, 'ok'));
    await listener.stop();
    await assert.rejects(listener.start(), /starts once/);
  });

  it('refuses more requests at a time than allowed, and serves again when one has ended', async () => {
    const release = Promise.withResolvers<void>();
    const called = Promise.withResolvers<void>();
    const port = await make(
      async () => {
        called.resolve();
        await release.promise;
        return toTextReply(200, 'ok');
      },
      { maxRequests: 1 },
    ).start();
    const first = fetch(`http://127.0.0.1:${port}/x`);
    await called.promise;
    assert.equal((await fetch(`http://127.0.0.1:${port}/x`)).status, 429);
    release.resolve();
    assert.equal((await first).status, 200);
    assert.equal((await fetch(`http://127.0.0.1:${port}/x`)).status, 200);
  });

  it('writes a streamed reply as fast as the client takes it, and not faster', async () => {
    const chunk = Buffer.alloc(1024 * 1024);
    let written = 0;
    let failure: unknown;
    const ended = Promise.withResolvers<void>();
    const stream: HttpReply['stream'] = async (sink) => {
      try {
        for (;;) {
          await sink.write(chunk);
          written++;
        }
      } catch (error) {
        failure = error;
        ended.resolve();
        throw error;
      }
    };
    const port = await make(() => ({ status: 200, headers: {}, body: '', stream })).start();
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /x HTTP/1.1\r\nHost: a\r\n\r\n'));
    sockets.push(socket);
    socket.pause();
    let before = -1;
    while (written !== before) {
      before = written;
      for (let i = 0; i < 50; i++) await new Promise(setImmediate);
    }
    assert.ok(written < 64, `${written} MiB were taken from the writer`);
    socket.destroy();
    await ended.promise;
    assert.match(String(failure), /the client has gone/);
  });

  it('ends a streamed reply that takes too long', async () => {
    const begun = Promise.withResolvers<void>();
    const stream: HttpReply['stream'] = async (sink, signal) => {
      await sink.write(Buffer.from('a'));
      begun.resolve();
      await once(signal, 'abort');
    };
    const limits = { replyTimeoutMs: 5000 };
    const port = await make(() => ({ status: 200, headers: {}, body: '', stream }), limits).start();
    const answer = exchange(port, 'GET /x HTTP/1.1\r\nHost: a\r\n\r\n');
    await begun.promise;
    await clock.advance(5000);
    assert.match(await answer, /^HTTP\/1\.1 200 OK\r\n/);
  });

  it('lets a streamed reply take as long as it wants where there is no limit', async () => {
    const [begun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const stream: HttpReply['stream'] = async (sink) => {
      await sink.write(Buffer.from('begin '));
      begun.resolve();
      await done.promise;
      await sink.write(Buffer.from('end'));
    };
    const limits = { replyTimeoutMs: Number.POSITIVE_INFINITY };
    const port = await make(() => ({ status: 200, headers: {}, body: '', stream }), limits).start();
    const answer = fetch(`http://127.0.0.1:${port}/x`).then((reply) => reply.text());
    await begun.promise;
    await clock.advance(100 * 3600_000);
    done.resolve();
    assert.equal(await answer, 'begin end');
  });

  it('asks the guard before a route answers, and reads no body of a refused caller', async () => {
    const routes = [{ path: '/x', methods: ['GET'], handle: () => assert.fail('called') }] as const;
    const guard = async () => ({ refusal: toTextReply(401, 'no') });
    const listener = new HttpListener({
      name: 'test',
      place: { address: '127.0.0.1', port: 0 },
      routes,
      guard,
      kit,
    });
    listeners.push(listener);
    const port = await listener.start();
    for (const [method, path, status] of [
      ['GET', '/x', 401],
      ['PUT', '/x', 401],
      ['GET', '/x/deeper', 401],
      ['GET', '/y', 404],
    ] as const)
      assert.equal((await fetch(`http://127.0.0.1:${port}${path}`, { method })).status, status);
    const head = 'POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n';
    assert.match(await exchange(port, head), /^HTTP\/1\.1 401 [\s\S]*connection: close/i);
  });

  it('passes upgraded connections on up to a limit, and closes them when it stops', async () => {
    const seen: string[] = [];
    const takeOver: HttpReply['takeOver'] = async ({ socket, head }, signal) => {
      seen.push(Buffer.from(head).toString());
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\nhello');
      await once(signal, 'abort');
    };
    const handle: Handler = ({ upgrade }) =>
      upgrade === undefined ? toTextReply(500, 'plain') : { status: 101, headers: {}, body: '', takeOver };
    const routes: readonly Route[] = [{ path: '/up/', methods: 'any', upgrades: true, handle }];
    const limits = { maxStreams: 1 };
    const settings = { name: 'test', place: { address: '127.0.0.1', port: 0 }, routes, kit, limits };
    const listener = new HttpListener(settings);
    listeners.push(listener);
    const port = await listener.start();
    const head = 'GET /up/ HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
    const first = exchange(port, `${head}early`);
    while (listener.openStreams === 0) await new Promise(setImmediate);
    assert.match(await exchange(port, head), /^HTTP\/1\.1 429 /);
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/up/`)).text(), 'plain');
    await listener.stop();
    assert.match(await first, /^HTTP\/1\.1 101 [\s\S]*hello$/);
    assert.deepEqual(seen, ['early']);
    assert.equal(listener.openStreams, 0);
  });
});
