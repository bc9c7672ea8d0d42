import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { SAMPLE_CERTIFICATE, SAMPLE_KEY } from '../../../test/samples/sample-certificate.ts';
import type { HttpGetRequest } from '../../core/pod/http-action.ts';
import { httpGet } from './http-get.ts';

const clock = new FakeClock();
const quiet = (): AbortSignal => new AbortController().signal;

interface Served extends AsyncDisposable {
  readonly port: number;
  readonly sockets: ReadonlySet<Socket>;
  /** Resolves once no connection is open. */
  idle(): Promise<void>;
}

async function listen(server: Server): Promise<Served> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      server.emit('socket gone');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    idle: async () => {
      while (sockets.size > 0) await once(server, 'socket gone');
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const serve = (handler: RequestListener): Promise<Served> => listen(createServer(handler));

function ask(port: number, more: Partial<HttpGetRequest> = {}): HttpGetRequest {
  const headers: [string, string][] = [
    ['Host', `127.0.0.1:${port}`],
    ['User-Agent', 'kube-probe/1.36'],
  ];
  return { scheme: 'http', host: '127.0.0.1', port, path: '/', headers, ...more };
}

const get = (request: HttpGetRequest) => httpGet(clock, request, { signal: quiet() });

describe('httpGet', () => {
  it('sends exactly the given headers, closes the connection and asks for no compression', async () => {
    let seen: IncomingMessage | undefined;
    await using served = await serve((request, response) => {
      seen = request;
      response.writeHead(200).end('fine');
    });
    const headers: [string, string][] = [
      ['Host', 'shop.example'],
      ['X-Try', '1'],
      ['x-try', '2'],
    ];
    const answer = await get(ask(served.port, { path: '/up?a=%2F', headers }));
    assert.deepEqual(answer, { kind: 'answer', status: 200, body: 'fine' });
    assert.equal(seen?.url, '/up?a=%2F');
    assert.deepEqual(seen?.headers, { host: 'shop.example', 'x-try': '1, 2', connection: 'close' });
    await served.idle();
  });

  it('accepts any certificate', async () => {
    const server = createTlsServer({ key: SAMPLE_KEY, cert: SAMPLE_CERTIFICATE }, (_request, response) =>
      response.writeHead(204).end(),
    );
    await using served = await listen(server);
    const answer = await get(ask(served.port, { scheme: 'https' }));
    assert.deepEqual(answer, { kind: 'answer', status: 204, body: '' });
    await served.idle();
  });

  it('distinguishes a server that speaks plain HTTP from one that cannot be reached', async () => {
    await using served = await serve((_request, response) => void response.end());
    const answer = await get(ask(served.port, { scheme: 'https' }));
    assert.deepEqual(answer, {
      kind: 'plain-http',
      message: `Get "https://127.0.0.1:${served.port}/": http: server gave HTTP response to HTTPS client`,
    });
  });

  it('reads no more than 10 KiB of an endless body', async () => {
    await using served = await serve((_request, response) => {
      const write = (): void => {
        while (response.write('x'.repeat(4096)));
        response.once('drain', write);
      };
      write();
    });
    const answer = await get(ask(served.port));
    assert.deepEqual(answer, { kind: 'answer', status: 200, body: 'x'.repeat(10_240) });
    await served.idle();
  });

  it('follows redirects within the host and keeps the headers', async () => {
    const paths: string[] = [];
    await using served = await serve((request, response) => {
      paths.push(`${request.headers.host} ${request.url} ${request.headers['user-agent']}`);
      if (request.url === '/') redirect(response, '/second');
      else if (request.url === '/second') redirect(response, `http://127.0.0.1:${served.port}/third?x=1`);
      else response.end('there');
    });
    const headers: [string, string][] = [
      ['Host', 'shop.example'],
      ['User-Agent', 'me'],
    ];
    const answer = await get(ask(served.port, { headers }));
    assert.deepEqual(answer, { kind: 'answer', status: 200, body: 'there' });
    assert.deepEqual(paths, [
      'shop.example / me',
      'shop.example /second me',
      `127.0.0.1:${served.port} /third?x=1 me`,
    ]);
  });

  it('returns a redirect to another host, or one without a target, as the answer', async () => {
    await using served = await serve((request, response) => {
      if (request.url === '/away') redirect(response, 'http://elsewhere.example/');
      else response.writeHead(302).end('nowhere');
    });
    const away = await get(ask(served.port, { path: '/away' }));
    assert.deepEqual(away, { kind: 'answer', status: 302, body: 'see there' });
    assert.deepEqual(await get(ask(served.port)), { kind: 'answer', status: 302, body: 'nowhere' });
  });

  it('gives up after ten redirects', async () => {
    let asked = 0;
    await using served = await serve((_request, response) => redirect(response, `/${++asked}`));
    const answer = await get(ask(served.port));
    assert.deepEqual(answer, {
      kind: 'failure',
      message: `Get "http://127.0.0.1:${served.port}/10": stopped after 10 redirects`,
    });
    assert.equal(asked, 10);
  });

  it('names the address of a server that does not listen', async () => {
    const served = await serve(() => {});
    await served[Symbol.asyncDispose]();
    const address = `127.0.0.1:${served.port}`;
    assert.deepEqual(await get(ask(served.port)), {
      kind: 'failure',
      message: `Get "http://${address}/": dial tcp ${address}: connect: connection refused`,
    });
  });

  it('fails when the server hangs up without an answer', async () => {
    await using served = await listen(createTcpServer((socket) => socket.end()));
    assert.deepEqual(await get(ask(served.port)), {
      kind: 'failure',
      message: `Get "http://127.0.0.1:${served.port}/": EOF`,
    });
  });

  it('ends at the time limit in every state of the server, and leaves no socket', async () => {
    for (const begin of [() => {}, (response: ServerResponse) => void response.write('half')]) {
      const virtual = new FakeClock();
      const asked = Promise.withResolvers<void>();
      await using served = await serve((_request, response) => {
        begin(response);
        asked.resolve();
      });
      const answer = httpGet(virtual, ask(served.port), { signal: quiet(), timeoutMs: 1000 });
      await asked.promise;
      await virtual.advance(1000);
      assert.deepEqual(await answer, {
        kind: 'failure',
        message: `Get "http://127.0.0.1:${served.port}/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
      });
      await served.idle();
      assert.equal(virtual.pendingTimers, 0);
    }
  });

  it('ends when the caller gives up and leaves no socket and no timer', async () => {
    const virtual = new FakeClock();
    const asked = Promise.withResolvers<void>();
    await using served = await serve(() => asked.resolve());
    const stop = new AbortController();
    const answer = httpGet(virtual, ask(served.port), { signal: stop.signal, timeoutMs: 1000 });
    await asked.promise;
    stop.abort();
    assert.equal((await answer).kind, 'failure');
    await served.idle();
    assert.equal(virtual.pendingTimers, 0);
  });
});

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location }).end('see there');
}
