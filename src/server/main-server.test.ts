import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpsRequest } from 'node:https';
import { type Socket, connect as tcpConnect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { FakeClock } from '../../test/fakes/fake-clock.ts';
import {
  type SampleAuthority,
  type SampleCertificate,
  SampleCertificates,
} from '../../test/samples/sample-certificates.ts';
import { createSampleServer, EchoServer, toSampleSettings } from '../../test/samples/sample-main-server.ts';
import { AgentError } from '../base/errors.ts';
import { createLogger } from '../base/log.ts';
import type { UserInfo } from '../ports/cluster/authentication.ts';
import type { AccessAttributes } from '../ports/cluster/authorization.ts';
import { createAuthGuard } from './auth/auth-guard.ts';
import { RequestAuthenticator } from './auth/request-authenticator.ts';
import { toTextReply } from './http/http-exchange.ts';
import type { HttpListener } from './http/http-listener.ts';
import type { ServingTlsMaterial } from './http/listener-tls.ts';
import { findRoute } from './http/route-list.ts';
import { toMainRoutes } from './main-server.ts';

/** Somewhat later than any certificate that a test makes. */
const clock = new FakeClock({ startMs: Date.now() + 3600_000 });
let lines: string[] = [];
const log = createLogger({
  format: 'json',
  verbosity: 0,
  now: () => 0,
  pid: 1,
  write: (line) => lines.push(line),
});

const asked: string[] = [];
async function authorize(user: UserInfo, { verb, subresource }: AccessAttributes): Promise<boolean> {
  asked.push(`${verb} ${subresource}`);
  if (user.name === 'broken') throw new AgentError('unavailable', 'no answer');
  return user.name === 'admin' || (user.name === 'narrow' && subresource === 'pods');
}

interface Route {
  readonly method: string;
  readonly path: string;
  /** What an authorised caller gets. */
  readonly status: number;
  readonly access: readonly string[];
  readonly upgrade?: true;
}

const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/healthz', status: 200, access: ['get healthz', 'get proxy'] },
  { method: 'GET', path: '/healthz/ping', status: 200, access: ['get healthz', 'get proxy'] },
  { method: 'GET', path: '/pods', status: 200, access: ['get pods', 'get proxy'] },
  { method: 'POST', path: '/pods', status: 405, access: ['create pods', 'create proxy'] },
  { method: 'GET', path: '/pods/deeper', status: 404, access: ['get pods', 'get proxy'] },
  { method: 'GET', path: '/runningpods/', status: 200, access: ['get pods', 'get proxy'] },
  { method: 'GET', path: '/metrics', status: 200, access: ['get metrics'] },
  { method: 'GET', path: '/metrics/probes', status: 200, access: ['get metrics'] },
  { method: 'GET', path: '/metrics/resource', status: 200, access: ['get metrics'] },
  { method: 'GET', path: '/stats/summary', status: 200, access: ['get stats'] },
  { method: 'POST', path: '/stats/summary', status: 200, access: ['create stats'] },
  { method: 'DELETE', path: '/stats/summary', status: 405, access: ['delete stats'] },
  { method: 'GET', path: '/stats/summary/deeper', status: 404, access: ['get stats'] },
  { method: 'GET', path: '/configz', status: 200, access: ['get configz', 'get proxy'] },
  { method: 'GET', path: '/ui/', status: 200, access: ['get proxy'] },
  { method: 'GET', path: '/ui/images', status: 200, access: ['get proxy'] },
  { method: 'GET', path: '/ui/drawn.svg', status: 200, access: ['get proxy'] },
  { method: 'POST', path: '/ui/', status: 405, access: ['create proxy'] },
  { method: 'GET', path: '/statusz', status: 200, access: ['get statusz'] },
  { method: 'GET', path: '/flagz', status: 200, access: ['get configz'] },
  { method: 'GET', path: '/containerLogs/ns/p/c', status: 200, access: ['get proxy'] },
  { method: 'GET', path: '/containerLogs/ns/p', status: 404, access: ['get proxy'] },
  { method: 'POST', path: '/containerLogs/ns/p/c', status: 405, access: ['create proxy'] },
  { method: 'POST', path: '/run/ns/p/c?cmd=ls', status: 200, access: ['create proxy'] },
  { method: 'POST', path: '/run/ns/p/uid-p/c?cmd=ls', status: 200, access: ['create proxy'] },
  { method: 'GET', path: '/run/ns/p/c?cmd=ls', status: 405, access: ['create proxy'] },
  { method: 'POST', path: '/exec/ns/p/c?command=ls&output=1', status: 500, access: ['create proxy'] },
  {
    method: 'GET',
    path: '/exec/ns/p/c?command=ls&output=1',
    status: 101,
    access: ['create proxy'],
    upgrade: true,
  },
  {
    method: 'POST',
    path: '/exec/ns/p/uid/c?command=ls&output=1',
    status: 101,
    access: ['create proxy'],
    upgrade: true,
  },
  { method: 'GET', path: '/exec/ns/p/c?command=ls', status: 400, access: ['create proxy'], upgrade: true },
  { method: 'GET', path: '/exec/ns/none/c?output=1', status: 404, access: ['create proxy'], upgrade: true },
  { method: 'DELETE', path: '/exec/ns/p/c', status: 405, access: ['create proxy'], upgrade: true },
  { method: 'GET', path: '/attach/ns/p/c?output=1', status: 101, access: ['create proxy'], upgrade: true },
  { method: 'POST', path: '/portForward/ns/p', status: 101, access: ['create proxy'], upgrade: true },
  { method: 'POST', path: '/portForward/ns/p/other', status: 404, access: ['create proxy'], upgrade: true },
  { method: 'POST', path: '/checkpoint/ns/p/c', status: 200, access: ['create checkpoint'] },
  { method: 'GET', path: '/debug/pprof/cmdline', status: 200, access: ['get proxy'] },
  { method: 'GET', path: '/debug/pprof/heap', status: 200, access: ['get proxy'] },
  { method: 'GET', path: '/heapsnapshot', status: 405, access: ['get heapsnapshot'] },
  { method: 'GET', path: '/debug/pprof/none', status: 404, access: ['get proxy'] },
  { method: 'GET', path: '/logs/', status: 200, access: ['get log'] },
  { method: 'DELETE', path: '/logs/syslog', status: 405, access: ['delete log'] },
  { method: 'GET', path: '/debug/flags/v', status: 406, access: ['get proxy'] },
  { method: 'PUT', path: '/debug/flags/v', status: 400, access: ['update proxy'] },
];

describe('createMainServer', () => {
  const certificates = new SampleCertificates();
  let authority: SampleAuthority;
  let material: ServingTlsMaterial;
  let listener: HttpListener;
  const echo = new EchoServer();
  let port: number;
  const clients: Record<string, SampleCertificate> = {};
  const listeners = new Set<() => void>();

  before(async () => {
    authority = certificates.authority('ca');
    const other = certificates.authority('other');
    const server = authority.issue('/CN=node', { usage: 'serverAuth', san: 'IP:127.0.0.1' });
    material = { certificate: server.cert, key: server.key, clientAuthorities: authority.cert };
    clients['admin'] = authority.issue('/O=system:masters/CN=admin');
    clients['narrow'] = authority.issue('/CN=narrow');
    clients['broken'] = authority.issue('/CN=broken');
    clients['outsider'] = authority.issue('/CN=outsider');
    clients['wrong authority'] = other.issue('/CN=admin');
    clients['expired'] = authority.issue('/CN=admin', { days: -1 });
    clients['not for clients'] = authority.issue('/CN=admin', { usage: 'serverAuth' });
    clients['self-signed'] = certificates.authority('admin');
    const streamUrl = await echo.start();
    const authenticator = new RequestAuthenticator({ certificates: true, anonymous: false, clock });
    listener = createSampleServer({
      clock,
      log,
      tls: () => material,
      subscribe: (each) => {
        listeners.add(each);
        return { [Symbol.dispose]: () => void listeners.delete(each) };
      },
      guard: createAuthGuard({ authenticator, authorize, nodeName: 'n', log }),
      streamUrl: () => streamUrl,
    });
    port = await listener.start();
  });
  after(async () => {
    await listener.stop();
    await echo.stop();
    certificates[Symbol.dispose]();
    assert.equal(listener.openRequests, 0);
    assert.equal(listener.openStreams, 0);
    assert.equal(listeners.size, 0);
    assert.equal(clock.pendingTimers, 0);
  });

  interface Answer {
    readonly status: number;
    readonly body: string;
    readonly headers: Record<string, unknown>;
  }

  function ask(
    client: string | undefined,
    route: Pick<Route, 'method' | 'path' | 'upgrade'>,
    extra = {},
  ): Promise<Answer> {
    const { cert, key } = client === undefined ? {} : (clients[client] ?? assert.fail(client));
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const asking = httpsRequest({
      host: '127.0.0.1',
      port,
      ca: authority.cert,
      cert,
      key,
      agent: false,
      method: route.method,
      path: route.path,
      headers: { ...(route.upgrade ? { connection: 'Upgrade', upgrade: 'SPDY/3.1' } : {}), ...extra },
    });
    asking.on('error', reject);
    asking.on('upgrade', (message, socket) => {
      socket.destroy();
      resolve({ status: message.statusCode ?? 0, body: '', headers: message.headers });
    });
    asking.on('response', (message) => {
      let body = '';
      message.on('data', (chunk) => {
        body += chunk;
      });
      message.on('end', () => resolve({ status: message.statusCode ?? 0, body, headers: message.headers }));
    });
    asking.end();
    return promise;
  }

  for (const route of ROUTES)
    describe(`${route.method} ${route.path}${route.upgrade ? ' (upgrade)' : ''}`, () => {
      for (const client of [undefined, 'wrong authority', 'expired', 'not for clients', 'self-signed'])
        it(`is 401 for a caller with ${client ?? 'no'} certificate`, async () => {
          const { status, body } = await ask(client, route);
          assert.equal(status, 401);
          assert.equal(body, 'Unauthorized');
        });

      it('is 403 for a caller without rights, and names the missing right', async () => {
        asked.length = 0;
        const { status, body } = await ask('outsider', route);
        assert.equal(status, 403);
        assert.deepEqual(asked, route.access);
        const [verb] = (route.access[0] ?? '').split(' ');
        const names = route.access.map((text) => text.split(' ')[1]).join(' ');
        const what = `user=outsider, verb=${verb}, resource=nodes, subresource(s)=[${names}]`;
        assert.equal(body, `Forbidden (${what})\n`);
      });

      it('is 500 when the review fails', async () => {
        const { status, body } = await ask('broken', route);
        assert.equal(status, 500);
        assert.match(
          body,
          /^Authorization error \(user=broken, verb=\w+, resource=nodes, subresource=\w+\)\n$/,
        );
      });

      it(`is ${route.status} for a caller with rights`, async () => {
        assert.equal((await ask('admin', route)).status, route.status);
      });
    });

  it('accepts the most specific right alone', async () => {
    assert.equal((await ask('narrow', { method: 'GET', path: '/pods' })).status, 200);
    assert.equal((await ask('narrow', { method: 'GET', path: '/configz' })).status, 403);
  });

  it('answers an unknown path without authentication', async () => {
    for (const path of ['/', '/nothing', '/spec', '/api/v1']) {
      const { status, body } = await ask(undefined, { method: 'GET', path });
      assert.equal(status, 404);
      assert.equal(body, '404 page not found\n');
    }
  });

  it('identifies the caller before it answers a path that it does not have', async () => {
    const asked = { method: 'GET', path: '/stats/container' };
    assert.equal((await ask(undefined, asked)).status, 401);
    assert.deepEqual((await ask('admin', asked)).body, '404: Page Not Found');
  });

  it('answers a request to upgrade where nothing upgrades as a plain one', async () => {
    const { status, body } = await ask('admin', { method: 'GET', path: '/healthz', upgrade: true });
    assert.equal(status, 200);
    assert.equal(body, 'ok');
  });

  it('reports what is missing from an upgrade', async () => {
    const { status, body } = await ask('admin', { method: 'POST', path: '/exec/ns/p/c?command=ls&output=1' });
    assert.equal(status, 500);
    assert.equal(body, 'Upgrade request required\n');
  });

  it('copies bytes both ways, withholds credentials and writes one audit line', async () => {
    echo.requests.length = 0;
    lines = [];
    const socket = await open('admin');
    socket.write(
      'POST /exec/ns/p/c?command=ls&command=secret&output=1 HTTP/1.1\r\nHost: n\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n' +
        'Authorization: Bearer t0ken\r\nX-Custom: 1\r\n\r\nearly',
    );
    const text = await readUntil(socket, 'early');
    assert.match(text, /^HTTP\/1\.1 101 Switching Protocols\r\n/);
    socket.write('late');
    await readUntil(socket, 'late');
    const closed = once(socket, 'close');
    socket.end();
    await closed;
    const [seen] = echo.requests;
    assert.equal(seen?.method, 'POST');
    assert.equal(seen?.url, '/exec/token?x=1');
    assert.equal(seen?.headers['authorization'], undefined);
    assert.equal(seen?.headers['x-custom'], '1');
    assert.equal(seen?.headers['x-forwarded-for'], '127.0.0.1');
    while (listener.openStreams > 0) await new Promise(setImmediate);
    const audits = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'stream ended');
    assert.equal(audits.length, 1);
    assert.equal(audits[0].user, 'admin');
    assert.equal(audits[0].bytesIn, 9);
    assert.equal(audits[0].program, 'ls');
    assert.doesNotMatch(lines.join(), /secret|t0ken/);
  });

  it('uses a new authority at once, and drops connections of the old one', async () => {
    const kept = await open('admin');
    kept.write('GET /healthz HTTP/1.1\r\nHost: n\r\n\r\n');
    await readUntil(kept, '\r\n\r\nok');
    const closed = once(kept, 'close');
    kept.resume();
    const old = material;
    const next = certificates.authority('next');
    clients['next'] = next.issue('/CN=admin');
    material = { ...material, clientAuthorities: next.cert };
    for (const each of listeners) each();
    await closed;
    assert.equal((await ask('admin', { method: 'GET', path: '/healthz' })).status, 401);
    assert.equal((await ask('next', { method: 'GET', path: '/healthz' })).status, 200);
    material = old;
    for (const each of listeners) each();
  });

  it('checks the validity of a certificate again on an open connection', async () => {
    const socket = await open('admin');
    socket.write('GET /healthz HTTP/1.1\r\nHost: n\r\n\r\n');
    await readUntil(socket, '\r\n\r\nok');
    const late = new RequestAuthenticator({ certificates: true, anonymous: false, clock: laterClock() });
    const chain = [socketCertificate(socket)];
    const result = await late.authenticate({
      headers: {},
      peer: { address: '', tls: { chain, problem: undefined } },
    });
    assert.deepEqual(result, { problem: 'the certificate has expired or is not yet valid' });
    socket.destroy();
  });

  it('CA file with an intermediate only: is enough to know its clients', async () => {
    const old = material;
    const middle = authority.intermediate('middle');
    clients['below'] = middle.issue('/CN=admin');
    clients['above'] = authority.issue('/CN=admin');
    material = { ...material, clientAuthorities: middle.cert };
    for (const each of listeners) each();
    assert.equal((await ask('below', { method: 'GET', path: '/healthz' })).status, 200);
    assert.equal((await ask('above', { method: 'GET', path: '/healthz' })).status, 401);
    material = old;
    for (const each of listeners) each();
  });

  it('never resumes a session, which would carry an old verdict', async () => {
    const first = await open('admin');
    const session = first.getSession();
    first.destroy();
    const second = await open('admin', session);
    assert.equal(second.isSessionReused(), false);
    second.destroy();
  });

  it('takes long headers, as a long command makes them, only from a caller it knows by its certificate', async () => {
    // Who goes on sending when it is refused may see the connection reset instead of the answer.
    const statusOf = (client: string | undefined, bytes: number): Promise<number> =>
      ask(client, { method: 'GET', path: `/healthz?x=${'y'.repeat(bytes)}` }).then(
        ({ status }) => status,
        (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' || error.code === 'EPIPE' ? 431 : 0),
      );
    assert.equal(await statusOf('admin', 900_000), 200);
    for (const client of [undefined, 'wrong authority', 'expired'])
      assert.equal(await statusOf(client, 900_000), 431);
    assert.equal(await statusOf('admin', 1_200_000), 431);
  });

  it('connections of one peer leave room for those of another, also before the handshake', async () => {
    const guard = async () => ({ refusal: toTextReply(401, 'no') });
    const limits = { maxConnections: 4, maxPeerConnections: 3 };
    const small = createSampleServer({ clock, log, tls: () => material, guard, limits });
    const from = { host: '127.0.0.1', port: await small.start() };
    const flood = Array.from({ length: 10 }, () => tcpConnect({ ...from, localAddress: '127.0.0.66' }));
    const shake = async (localAddress: string): Promise<boolean> => {
      const socket = tlsConnect({
        socket: tcpConnect({ ...from, localAddress }),
        ca: authority.cert,
        host: '127.0.0.1',
      });
      socket.on('error', () => {});
      await new Promise((resolve) => socket.once('secureConnect', resolve).once('close', resolve));
      const shaken = socket.authorized;
      socket.destroy();
      return shaken;
    };
    try {
      for (const socket of flood) socket.on('error', () => {}).resume();
      while (flood.filter(({ closed }) => closed).length < 7) await new Promise(setImmediate);
      assert.equal(await shake('127.0.0.66'), false);
      assert.equal(await shake('127.0.0.2'), true);
      for (const socket of flood) socket.destroy();
      // Every place comes back, those of handshakes too.
      for (let i = 0; i < 10; i++) while (!(await shake('127.0.0.66')));
    } finally {
      for (const socket of flood) socket.destroy();
      await small.stop();
    }
  });

  it('stops in time in spite of a connection that never begins its handshake', async () => {
    const guard = async () => ({ refusal: toTextReply(401, 'no') });
    const quiet = createSampleServer({ clock, log, tls: () => material, guard });
    const socket = tcpConnect({ host: '127.0.0.1', port: await quiet.start() });
    socket.on('error', () => {}).resume();
    await once(socket, 'connect');
    const stopped = quiet.stop();
    await clock.advance(2_000);
    await stopped;
    if (!socket.closed) await once(socket, 'close');
  });

  it('CVE-2019-9512: speaks no HTTP/2, so that no pings can flood it', () => refusesHttp2());

  it('CVE-2019-9514: speaks no HTTP/2, so that no refused streams can flood it', () => refusesHttp2());

  it('CVE-2023-44487: speaks no HTTP/2, so that no streams can be opened and reset in quick turn', () =>
    refusesHttp2());

  async function refusesHttp2(): Promise<void> {
    const { cert, key } = clients['admin'] ?? assert.fail();
    const offer = (ALPNProtocols: string[]): TLSSocket =>
      tlsConnect({ host: '127.0.0.1', port, ca: authority.cert, cert, key, ALPNProtocols });
    await assert.rejects(once(offer(['h2']), 'secureConnect'));
    const socket = offer(['h2', 'http/1.1']);
    await once(socket, 'secureConnect');
    assert.equal(socket.alpnProtocol, 'http/1.1');
    socket.on('error', () => {});
    const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
    socket.end(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), settings]));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    if (!socket.closed) await once(socket, 'close').catch(() => {});
    assert.match(answer, /^HTTP\/1\.1 4\d\d /);
  }

  it('speaks no version below the minimum', async () => {
    const socket = tlsConnect({
      host: '127.0.0.1',
      port,
      ca: authority.cert,
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
    });
    await assert.rejects(once(socket, 'secureConnect'));
  });

  function laterClock(): FakeClock {
    return new FakeClock({ startMs: Date.now() + 3 * 24 * 3600_000 });
  }

  function socketCertificate(socket: TLSSocket): Uint8Array {
    const own = socket.getX509Certificate();
    return own?.raw ?? assert.fail('no certificate');
  }

  async function open(client: string, session?: Buffer): Promise<TLSSocket> {
    const { cert, key } = clients[client] ?? assert.fail(client);
    const socket = tlsConnect({
      host: '127.0.0.1',
      port,
      ca: authority.cert,
      cert,
      key,
      ...(session ? { session } : {}),
    });
    socket.on('error', () => {});
    await once(socket, 'secureConnect');
    return socket;
  }
});

async function readUntil(socket: Socket, wanted: string): Promise<string> {
  let text = '';
  while (!text.includes(wanted)) {
    const [chunk] = await once(socket, 'data');
    text += chunk;
  }
  return text;
}

describe('toMainRoutes', () => {
  it('answers with a text of its own for what the configuration turns off', async () => {
    const guard = async () => ({ user: { name: 'a', uid: '', groups: [], extra: {} } });
    const settings = toSampleSettings({ clock, log, guard, tls: () => ({ certificate: '', key: '' }) });
    const off = { nodeLogs: undefined, setVerbosity: undefined, profiling: undefined };
    const debugging = { ...(settings.debugging ?? assert.fail()), ...off };
    const routes = toMainRoutes({ ...settings, debugging });
    for (const [path, text] of [
      ['/logs/', 'logs endpoint is disabled.\n'],
      ['/debug/flags/v', 'flags endpoint is disabled.\n'],
      ['/debug/pprof/', 'profiling endpoint is disabled.\n'],
    ] as const) {
      const match = findRoute(routes, 'GET', path);
      assert.ok(match.kind === 'handler');
      const request = {
        method: 'GET',
        path,
        query: new URLSearchParams(),
        headers: {},
        body: new Uint8Array(),
      };
      const reply = await match.handle(request, new AbortController().signal);
      assert.deepEqual([reply.status, reply.body], [405, text]);
    }
  });
});
