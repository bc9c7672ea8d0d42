/** The connection with an HTTP/2 server of Node, over TLS on loopback, that does what servers do. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type Settings,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { RecordingLogger } from '../../../../test/fakes/recording-logger.ts';
import { type KeyPair, TestAuthority } from '../../../../test/fakes/test-certificates.ts';
import { SystemClock } from '../../linux/machine/system-clock.ts';
import { ApiConnection } from './api-connection.ts';
import { createDial } from './dial.ts';
import { type ApiHttpRequest, type Delivery, type HttpResponse, TransportError } from './http-exchange.ts';

type Answer = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

const LARGE = Buffer.alloc(24 * 2 ** 20, 'one of many objects, ');

let authority: TestAuthority;
let pair: KeyPair;
before(async () => {
  authority = await TestAuthority.create();
  pair = await authority.issue('kube-apiserver');
});
after(() => authority.remove());

/** A server that answers by path, and a connection to it. */
class Setup implements AsyncDisposable {
  readonly connection: ApiConnection;
  readonly sessions: ServerHttp2Session[] = [];
  readonly #server: Http2SecureServer;

  private constructor(server: Http2SecureServer) {
    this.#server = server;
    server.on('session', (session) => this.sessions.push(session));
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    this.connection = new ApiConnection({
      name: 'main',
      origin: url.origin,
      kit: { clock: new SystemClock(), random: () => 0.5, logger: new RecordingLogger() },
      timing: {},
      dial: createDial({ server: url, insecure: false, readTls: async () => ({ ca: authority.cert }) }),
    });
  }

  static async start(answers: Readonly<Record<string, Answer>>, settings: Settings = {}): Promise<Setup> {
    const server = createSecureServer({ ...pair, settings, maxSessionMemory: 1000 });
    server.on('sessionError', () => {});
    server.on('stream', (stream: ServerHttp2Stream, headers) => {
      stream.on('error', () => {});
      const answer = answers[headers[':path'] ?? ''];
      if (answer !== undefined) answer(stream, headers);
      else {
        stream.respond();
        stream.end('ok');
      }
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Setup(server);
  }

  send(path: string, more: Partial<ApiHttpRequest> = {}, signal?: AbortSignal): Promise<HttpResponse> {
    const request: ApiHttpRequest = { method: 'GET', path, headers: { accept: 'application/json' }, ...more };
    return this.connection.exchange(request, signal ?? new AbortController().signal);
  }

  async text(path: string, more: Partial<ApiHttpRequest> = {}): Promise<string> {
    return String((await this.send(path, more)).body);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection.close();
    assert.equal(this.connection.load, 0);
    for (const session of this.sessions) session.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function isLoss(delivery: Delivery): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof TransportError, String(error));
    assert.equal(error.delivery, delivery, error.message);
    return true;
  };
}

/** The length of what came, as text. */
const count: Answer = (stream) => {
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  stream.on('end', () => {
    if (stream.destroyed) return;
    stream.respond();
    stream.end(String(bytes));
  });
};
const hang: Answer = () => {};

describe('ApiConnection answers', () => {
  it('takes a list of many MiB, collected and in pieces, several at a time', async () => {
    await using setup = await Setup.start({
      '/list': (stream) => {
        stream.respond({ 'content-length': LARGE.length });
        stream.end(LARGE);
      },
    });
    let bytes = 0;
    const onData = (chunk: Buffer): void => {
      assert.deepEqual(chunk.subarray(0, 8), LARGE.subarray(bytes, bytes + 8));
      bytes += chunk.length;
    };
    const [whole, streamed] = await Promise.all([setup.send('/list'), setup.send('/list', { onData })]);
    assert.ok(whole.body.equals(LARGE));
    assert.deepEqual([bytes, streamed.body.length], [LARGE.length, 0]);
    assert.equal(await setup.text('/'), 'ok');
    assert.equal(setup.connection.connects, 1);
  });

  it('takes a long watch in pieces as they come', async () => {
    const watching = Promise.withResolvers<ServerHttp2Stream>();
    await using setup = await Setup.start({
      '/watch': (stream) => {
        stream.respond();
        watching.resolve(stream);
      },
    });
    const seen: string[] = [];
    let next = Promise.withResolvers<void>();
    const onData = (chunk: Buffer): void => {
      seen.push(String(chunk));
      next.resolve();
    };
    const end = setup.send('/watch', { onData });
    const stream = await watching.promise;
    for (const event of ['one', 'two', 'three']) {
      next = Promise.withResolvers();
      stream.write(event);
      await next.promise;
    }
    stream.end();
    assert.equal((await end).status, 200);
    assert.deepEqual(seen, ['one', 'two', 'three']);
  });

  it('passes over interim answers and trailers', async () => {
    await using setup = await Setup.start({
      '/': (stream) => {
        stream.additionalHeaders({ ':status': 103, link: '</a>' });
        stream.additionalHeaders({ ':status': 103 });
        stream.respond({ ':status': 201 }, { waitForTrailers: true });
        stream.on('wantTrailers', () => stream.sendTrailers({ status: '500' }));
        stream.end('made');
      },
    });
    const { status, body, headers } = await setup.send('/');
    assert.deepEqual([status, String(body), headers.get('status')], [201, 'made', undefined]);
  });

  it('reads and sends headers of several frames, and loses only the request to headers beyond the limit', async () => {
    const large = 'x'.repeat(30_000);
    await using setup = await Setup.start({
      '/large': (stream, { authorization }) => {
        stream.respond({ 'x-length': String(authorization?.length), 'x-large': large });
        stream.end('ok');
      },
      '/too-large': (stream) => {
        stream.respond({ 'x-large': large, 'x-larger': large, 'x-largest': large });
        stream.end('ok');
      },
    });
    const { headers } = await setup.send('/large', { headers: { authorization: large } });
    assert.deepEqual([headers.get('x-length'), headers.get('x-large')], ['30000', large]);
    await assert.rejects(setup.send('/too-large'), isLoss('maybe'));
    assert.equal(await setup.text('/'), 'ok');
  });

  it('knows what a reset says about a request, and an answer that has no body', async () => {
    const { NGHTTP2_REFUSED_STREAM, NGHTTP2_INTERNAL_ERROR } = constants;
    await using setup = await Setup.start({
      '/refused': (stream) => stream.close(NGHTTP2_REFUSED_STREAM),
      '/failed': (stream) => stream.close(NGHTTP2_INTERNAL_ERROR),
      '/empty': (stream) => stream.respond({ ':status': 204 }, { endStream: true }),
    });
    await assert.rejects(setup.send('/refused'), isLoss('refused'));
    await assert.rejects(setup.send('/failed'), isLoss('maybe'));
    assert.deepEqual([(await setup.send('/empty')).status, await setup.text('/')], [204, 'ok']);
    assert.equal(setup.connection.connects, 1);
  });
});

describe('ApiConnection requests', () => {
  it('sends large bodies through windows that are small, closed and changed under way', async () => {
    await using setup = await Setup.start({ '/count': count }, { initialWindowSize: 1000 });
    const body = 'x'.repeat(3 * 2 ** 20);
    const send = (): Promise<string> => setup.text('/count', { method: 'PATCH', body });
    assert.deepEqual(await Promise.all([send(), send()]), [String(body.length), String(body.length)]);
    const [session] = setup.sessions;
    session?.settings({ initialWindowSize: 0 });
    await setup.text('/');
    const blocked = send();
    assert.equal(await setup.text('/'), 'ok', 'what needs no window goes past it');
    session?.settings({ initialWindowSize: 200_000 });
    assert.equal(await blocked, String(body.length));
  });

  it('holds every deadline while a server does not read, and goes on when it does', async () => {
    const reading = Promise.withResolvers<ServerHttp2Stream>();
    await using setup = await Setup.start({
      '/slow': (stream) => reading.resolve(stream.pause()),
      '/count': count,
    });
    const body = 'x'.repeat(2 ** 20);
    const slow = setup.text('/slow', { method: 'PATCH', body });
    const stream = await reading.promise;
    assert.equal(await setup.text('/'), 'ok');
    const stop = new AbortController();
    const late = setup.send('/count', { method: 'PATCH', body }, stop.signal);
    stop.abort(new Error('its time is over'));
    await assert.rejects(late, /its time is over/);
    count(stream, {});
    stream.resume();
    assert.equal(await slow, String(body.length));
    assert.equal(setup.connection.connects, 1);
  });

  it('ends a request at once whose signal aborts, before and while it is under way', async () => {
    const hanging = Promise.withResolvers<ServerHttp2Stream>();
    await using setup = await Setup.start({ '/hang': hanging.resolve });
    await assert.rejects(setup.send('/', {}, AbortSignal.abort(new Error('never begun'))), /never begun/);
    const stop = new AbortController();
    const call = setup.send('/hang', {}, stop.signal);
    const stream = await hanging.promise;
    const reset = once(stream, 'close');
    stop.abort(new Error('no longer wanted'));
    await assert.rejects(call, /no longer wanted/);
    await reset;
    assert.equal(stream.rstCode, constants.NGHTTP2_CANCEL);
  });

  it('fails a request by what its taker throws, and no other', async () => {
    await using setup = await Setup.start({});
    const onData = (): void => {
      throw new Error('this is not JSON');
    };
    await assert.rejects(setup.send('/', { onData }), /this is not JSON/);
    assert.equal(await setup.text('/'), 'ok');
    assert.equal(setup.connection.connects, 1);
  });

  it('never sends what HTTP does not allow, and does not show it', async () => {
    await using setup = await Setup.start({});
    for (const more of [
      { headers: { authorization: 'secret\r\nx: y' } },
      { headers: { 'x\n': 'secret' } },
      { headers: { a: 'x', b: ['secret\n'] } },
    ])
      await assert.rejects(
        setup.send('/', more),
        (error) => isLoss('refused')(error) && !/secret/.test(String(error)),
      );
    await assert.rejects(setup.send('/a\r\nb'), isLoss('refused'));
    assert.equal(await setup.text('/'), 'ok');
  });

  it('sends a header again with its new value, lists of values, and names in lower case', async () => {
    await using setup = await Setup.start({
      '/': (stream, headers) => {
        stream.respond();
        stream.end(`${headers['authorization']} ${headers['impersonate-group']} ${headers[':authority']}`);
      },
    });
    const say = (token: string): Promise<string> =>
      setup.text('/', { headers: { authorization: token, 'Impersonate-Group': ['a', 'b'] } });
    const { host } = new URL(`https://127.0.0.1:${setup.sessions[0]?.socket?.localPort ?? ''}`);
    for (const token of ['one', 'one', 'two'])
      assert.match(await say(token), new RegExp(`^${token} a, b ${host}`));
  });
});

describe('ApiConnection and its server', () => {
  it('asks for no more streams than the server allows, also when it allows more or fewer later', async () => {
    await using setup = await Setup.start({ '/hang': hang }, { maxConcurrentStreams: 2 });
    const stop = new AbortController();
    const hold = (): Promise<unknown> => setup.send('/hang', {}, stop.signal).catch(() => {});
    assert.equal(await setup.text('/'), 'ok');
    const held = [hold(), hold()];
    await assert.rejects(setup.send('/'), isLoss('full'));
    assert.equal(setup.connection.full, true);
    setup.sessions[0]?.settings({ maxConcurrentStreams: 3 });
    while (setup.connection.full) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(await setup.text('/'), 'ok');
    stop.abort();
    await Promise.all(held);
  });

  it('finishes what a server still answers that goes away, and begins the rest on a new connection', async () => {
    const first = Promise.withResolvers<ServerHttp2Stream>();
    await using setup = await Setup.start({
      '/first': first.resolve,
      '/second': (stream) => stream.session?.goaway(constants.NGHTTP2_NO_ERROR, 1),
    });
    const answered = setup.text('/first');
    const stream = await first.promise;
    await assert.rejects(setup.send('/second'), isLoss('refused'));
    assert.equal(await setup.text('/'), 'ok');
    assert.equal(setup.connection.connects, 2);
    stream.respond();
    stream.end('late');
    assert.equal(await answered, 'late');
  });

  it('fails what is under way when the connection is renewed or lost, and makes a new one', async () => {
    const hanging: ServerHttp2Stream[] = [];
    await using setup = await Setup.start({ '/hang': (stream) => hanging.push(stream) });
    assert.equal(await setup.text('/'), 'ok');
    const renewed = assert.rejects(setup.send('/hang'), /credentials changed/);
    setup.connection.renew('credentials changed');
    await renewed;
    assert.equal(await setup.text('/'), 'ok');
    hanging.length = 0;
    const lost = assert.rejects(setup.send('/hang'), isLoss('maybe'));
    while (hanging.length === 0) await new Promise((resolve) => setImmediate(resolve));
    hanging.at(-1)?.session?.destroy();
    await lost;
    assert.equal(await setup.text('/'), 'ok');
    assert.equal(setup.connection.connects, 3);
  });

  it('speaks to a server without a table of headers, and to one with a large one', async () => {
    for (const headerTableSize of [0, 100, 65_536]) {
      await using setup = await Setup.start({}, { headerTableSize });
      for (let times = 0; times < 3; times++) assert.equal(await setup.text('/'), 'ok');
      assert.equal(setup.connection.connects, 1);
    }
  });
});
