/** The client against a real HTTPS server on loopback, with real certificates and broken networks. */
import assert from 'node:assert/strict';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { FakeApiServer, type FakeApiServerOptions } from '../../../test/fakes/fake-api-server.ts';
import { FakeApiRefusal } from '../../../test/fakes/fake-api-store.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { StallableProxy } from '../../../test/fakes/stallable-proxy.ts';
import { type KeyPair, TestAuthority } from '../../../test/fakes/test-certificates.ts';
import { hasCode } from '../../base/errors.ts';
import { LEASES, NODES, PODS } from '../../ports/cluster/api-resource.ts';
import { type ApiObject, apiStatusOf, type ObjectRef } from '../../ports/cluster/api-server.ts';
import type { Tracer } from '../../ports/tracer.ts';
import { SystemClock } from '../linux/machine/system-clock.ts';
import { type ApiClient, type ApiClientSettings, createApiClient } from './api-client.ts';
import { credentialFiles } from './credentials/credential-files.ts';
import { loadKubeconfig } from './credentials/kubeconfig.ts';

const POD = { plural: 'pods', place: '/v1/pods', namespace: 'default' } as const;
const WEB: ObjectRef = { resource: PODS, namespace: 'default', name: 'web' };
/** The ping has more time than a busy machine may take for the answer of a peer that lives. */
const QUICK = { readIdleMs: 50, pingTimeoutMs: 300, connectTimeoutMs: 5_000, maxBackOffMs: 20 };
const QUICK_WATCH = { initialMs: 5, maxMs: 20, spreadMs: 1, usefulMs: 10_000 };

let authority: TestAuthority;
let serverPair: KeyPair;
let clientPair: KeyPair;
let directory: string;
let server: FakeApiServer;
let client: ApiClient | undefined;
let logger: RecordingLogger;
/** Run after the test, also a failed one, newest first. */
const cleanUps: (() => Promise<void>)[] = [];

before(async () => {
  authority = await TestAuthority.create();
  serverPair = await authority.issue('kube-apiserver');
  clientPair = await authority.issue('system:node:one', '');
});
after(() => authority.remove());

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kube-client-'));
  logger = new RecordingLogger();
  await startServer();
});
afterEach(async () => {
  for (const undo of cleanUps.splice(0).reverse()) await undo();
  await client?.close();
  client = undefined;
  await server.stop();
  await rm(directory, { recursive: true });
});

async function startServer(options: FakeApiServerOptions = {}): Promise<void> {
  server = new FakeApiServer({ tls: { ...serverPair, ca: authority.cert }, ...options });
  await server.start();
}

interface ConfigParts {
  readonly server?: string;
  readonly cluster?: object;
  readonly user?: object;
}

async function open(parts: ConfigParts = {}, settings: Partial<ApiClientSettings> = {}): Promise<ApiClient> {
  await writeFile(join(directory, 'ca.crt'), authority.cert);
  await writeFile(join(directory, 'client.crt'), clientPair.cert);
  await writeFile(join(directory, 'client.key'), clientPair.key);
  const user = parts.user ?? { 'client-certificate': 'client.crt', 'client-key': 'client.key' };
  const cluster = { server: parts.server ?? server.url, 'certificate-authority': 'ca.crt', ...parts.cluster };
  const path = join(directory, 'kubeconfig');
  await writeFile(
    path,
    JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
      clusters: [{ name: 'k', cluster }],
      users: [{ name: 'u', user }],
    }),
  );
  client = createApiClient({
    kubeconfig: await loadKubeconfig(path, credentialFiles),
    kit: { clock: new SystemClock(), logger, random: () => 0.5 },
    limits: { calls: { perSecond: 0, burst: 1 }, events: { perSecond: 0, burst: 1 } },
    heartbeatTimeoutMs: 10_000,
    process: { userAgent: 'kubelet/test', environment: {} },
    readClient: undefined,
    observe: undefined,
    ...settings,
    tuning: { connection: QUICK, watch: QUICK_WATCH, ...settings.tuning },
  });
  return client;
}

function pod(name: string, nodeName = 'one'): object {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' }, spec: { nodeName } };
}

/** Looks again at every turn of the event loop; the limit of the test run bounds it. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

async function startStallableProxy(): Promise<StallableProxy> {
  const proxy = new StallableProxy(server.port);
  await proxy.start();
  cleanUps.push(async () => {
    await client?.close();
    await proxy.stop();
  });
  return proxy;
}

/** A followed set of pods with the events it received. */
function followPods(api: ApiClient['api']) {
  const followed = api.follow<ApiObject>({ resource: PODS, fieldSelector: 'spec.nodeName=one' });
  const stop = new AbortController();
  const received: string[] = [];
  const names = (items: readonly ApiObject[]): string => items.map(({ metadata }) => metadata.name).join(',');
  const done = followed.run(stop.signal, {
    onReplace: (items) => void received.push(`replace ${names(items)}`),
    onEvent: (type, object) => void received.push(`${type} ${object.metadata.name}`),
    onSynced: () => void received.push('synced'),
  });
  const end = async (): Promise<void> => {
    stop.abort();
    await done;
  };
  cleanUps.push(end);
  return { followed, received, end };
}

describe('createApiClient calls', () => {
  it('create, read, list in pages, replace, patch and delete with client certificate and user agent', async () => {
    const { api } = await open();
    const made = await api.create<ApiObject>(PODS, pod('web'));
    assert.equal(made.metadata.name, 'web');
    assert.equal((await api.get<ApiObject>(WEB))?.metadata.uid, made.metadata.uid);
    assert.equal(await api.get({ ...WEB, name: 'absent' }), undefined);
    for (const name of ['b', 'c']) await api.create(PODS, pod(name));
    const list = await api.list<ApiObject>({ resource: PODS, pageSize: 2 });
    assert.deepEqual(list.items.map(({ metadata }) => metadata.name).sort(), ['b', 'c', 'web']);
    assert.equal(server.seen('GET', '/api/v1/pods').length, 2);
    await api.patch(WEB, { status: { phase: 'Running' } }, { kind: 'strategic', subresource: 'status' });
    await api.patch(WEB, [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }], { kind: 'json' });
    const now = server.store.get(POD, 'web');
    assert.deepEqual([now['status'], now.metadata['labels']], [{ phase: 'Running' }, { a: 'b' }]);
    await api.update(WEB, { ...now, metadata: { ...now.metadata, labels: { a: 'c' } } });
    await api.delete(WEB, { gracePeriodSeconds: 0, uid: String(made.metadata.uid) });
    assert.equal(await api.get(WEB), undefined);
    const [first] = server.requests;
    assert.equal(first?.clientName, 'system:node:one');
    assert.equal(first?.headers['user-agent'], 'kubelet/test');
    assert.equal(server.openConnections, 1);
  });

  it('post to a sub-resource and give its answer', async () => {
    server.subresources.set('serviceaccounts/token', (path) => ({ status: { token: `for-${path.name}` } }));
    const { api } = await open();
    const ref = {
      resource: { group: '', version: 'v1', plural: 'serviceaccounts' },
      namespace: 'x',
      name: 'sa',
    };
    const answer = await api.createSubresource<{ status: { token: string } }>(ref, 'token', { spec: {} });
    assert.equal(answer.status.token, 'for-sa');
  });

  it('turn refusals into classes and keep the words of the server', async () => {
    const { api } = await open();
    await api.create(PODS, pod('web'));
    const old = await api.get<ApiObject>(WEB);
    await api.patch(WEB, { metadata: { labels: { x: 'y' } } }, { kind: 'merge' });
    await assert.rejects(api.update(WEB, old as object), (error) => hasCode(error, 'conflict'));
    await assert.rejects(api.create(PODS, pod('web')), (error) => hasCode(error, 'already-exists'));
    await assert.rejects(api.delete(WEB, { uid: 'other' }), (error) => hasCode(error, 'conflict'));
    await assert.rejects(api.delete({ ...WEB, name: 'absent' }), (error: Error) => {
      assert.equal(error.message, 'cannot delete pods "default/absent": pods "absent" not found');
      assert.equal(apiStatusOf(error)?.message, 'pods "absent" not found');
      return hasCode(error, 'not-found');
    });
    server.plan({ does: { kind: 'refuse', code: 403, reason: 'Forbidden' } });
    await assert.rejects(api.get(WEB), (error) => hasCode(error, 'permission-denied'));
    server.plan({ does: { kind: 'garbage', text: '<html>' } });
    await assert.rejects(api.get(WEB), /the answer is not JSON/);
  });

  it('wait as long as a 429 asks and try again', async () => {
    const { api } = await open();
    server.plan({ does: { kind: 'refuse', code: 429, retryAfterSeconds: 0 }, times: 2 });
    assert.equal(await api.get(WEB), undefined);
    assert.equal(server.requests.length, 3);
  });

  it('repeat a read whose connection broke, but not a write that may have been carried out', async () => {
    const { api } = await open();
    server.plan({ does: { kind: 'break', when: 'before' } });
    assert.equal(await api.get(WEB), undefined);
    server.plan({ does: { kind: 'break', when: 'after' } });
    await assert.rejects(api.create(PODS, pod('web')), (error) => hasCode(error, 'unavailable'));
    assert.equal(server.seen('POST', '/api/v1/namespaces/default/pods').length, 1);
    assert.notEqual(await api.get(WEB), undefined);
  });

  it('end at their deadline and at their signal, also while the server says nothing', async () => {
    const { api } = await open();
    // The connection is made first: that may take longer than the deadline.
    assert.equal(await api.get(WEB), undefined);
    server.plan({ does: { kind: 'hang' }, times: 2 });
    await assert.rejects(api.get(WEB, { timeoutMs: 200 }), (error) => hasCode(error, 'deadline-exceeded'));
    const stop = new AbortController();
    const call = api.get(WEB, { signal: stop.signal });
    await until(() => server.requests.length === 3);
    stop.abort();
    await assert.rejects(call, (error) => hasCode(error, 'cancelled'));
    assert.equal(await api.get(WEB), undefined);
  });

  it('leave the connection usable when cancelled with megabytes still to send', async () => {
    const { api } = await open();
    const large = pod('web', 'x'.repeat(2 ** 21));
    assert.equal(await api.get(WEB), undefined);
    for (let at = 0; at < 8; at++) {
      const stop = new AbortController();
      const call = api.create(PODS, large, { signal: stop.signal });
      setImmediate(() => stop.abort());
      await assert.rejects(call, (error) => hasCode(error, 'cancelled'));
    }
    await assert.doesNotReject(api.get(WEB));
  });

  it('carry the span they are made in, and record what became of them', async () => {
    const spans: string[] = [];
    const tracer: Tracer = {
      span: (start, work) =>
        work({
          rename: () => {},
          set: (values) => void spans.push(`${start.name} ${values['http.response.status_code']}`),
          fail: () => void spans.push('failed'),
          headers: { traceparent: '00-trace-span-01' },
        }),
    };
    const { api } = await open({}, { kit: { clock: new SystemClock(), logger, random: () => 0.5, tracer } });
    assert.equal(await api.get(WEB), undefined);
    assert.equal(server.requests[0]?.headers['traceparent'], '00-trace-span-01');
    assert.deepEqual(spans, ['HTTP GET 404', 'failed']);
  });

  it('send heartbeats on a connection of their own and past a queue that is full', async () => {
    const { api } = await open(
      {},
      { limits: { calls: { perSecond: 0.001, burst: 1 }, events: { perSecond: 0, burst: 1 } } },
    );
    assert.equal(await api.get(WEB), undefined);
    const stop = new AbortController();
    const waits = api.get(WEB, { signal: stop.signal });
    await api.get({ resource: LEASES, namespace: 'kube-node-lease', name: 'one' }, { priority: 'heartbeat' });
    assert.deepEqual(
      server.requests.map(({ path, connection }) => [path.split('/').at(-1), connection]),
      [
        ['web', 1],
        ['one', 2],
      ],
    );
    stop.abort();
    await assert.rejects(waits, (error) => hasCode(error, 'cancelled'));
  });
});

describe('createApiClient connections', () => {
  it('refuse a server whose certificate another authority signed, unless configured to accept any', async () => {
    const other = await TestAuthority.create('another');
    const strict = await open({ cluster: { 'certificate-authority-data': btoa(other.cert) } });
    await other.remove();
    await assert.rejects(strict.api.get(WEB), /cannot make a TLS connection/);
    await strict.close();
    const cluster = { 'certificate-authority': undefined, 'insecure-skip-tls-verify': true };
    assert.equal(await (await open({ cluster })).api.get(WEB), undefined);
  });

  it('check the name given as tls-server-name instead of the address', async () => {
    const wrong = await open({ cluster: { 'tls-server-name': 'elsewhere' } });
    await assert.rejects(wrong.api.get(WEB), /elsewhere/);
    await wrong.close();
    assert.equal(await (await open({ cluster: { 'tls-server-name': 'localhost' } })).api.get(WEB), undefined);
  });

  it('go through an HTTP proxy with its password', async () => {
    const proxy = await startConnectProxy();
    const url = `http://user:word@127.0.0.1:${proxy.port}`;
    const { api } = await open({ cluster: { 'proxy-url': url } });
    assert.equal(await api.get(WEB), undefined);
    assert.deepEqual(proxy.seen, [`127.0.0.1:${server.port} Basic ${btoa('user:word')}`]);
    await client?.close();
    await proxy.stop();
    await assert.rejects((await open({ cluster: { 'proxy-url': url } })).api.get(WEB), /through proxy/);
  });

  it('carry the path before the API paths', async () => {
    const { api } = await open({ server: `${server.url}/clusters/one/` });
    await assert.rejects(api.list({ resource: NODES }), /404 page not found/);
    assert.equal(server.requests[0]?.path, '/clusters/one/api/v1/nodes');
  });

  it('fail at once while the server is down and work again when it is back', async () => {
    const { api } = await open();
    await server.stop();
    await assert.rejects(api.get(WEB), (error) => hasCode(error, 'unavailable'));
    await server.start();
    let found: unknown = 'none yet';
    while (found === 'none yet') found = await api.get(WEB).catch(() => 'none yet');
    assert.equal(found, undefined);
  });

  it('find a silent peer by ping and fail what hangs on it', async () => {
    const proxy = await startStallableProxy();
    const { api } = await open({ server: `https://127.0.0.1:${proxy.port}` });
    assert.equal(await api.get(WEB), undefined);
    proxy.stallOpenConnections();
    // The write is not repeated, so the failure shows; the read after it finds a new connection.
    await assert.rejects(api.create(PODS, pod('web')), /no answer to a ping within 300 ms/);
    assert.equal(await api.get(WEB), undefined);
    assert.ok(proxy.accepted >= 2);
  });

  it('are as many as the streams need, so that watches never keep a call waiting', async () => {
    await server.stop();
    await startServer({ maxStreams: 10 });
    const { api } = await open();
    const followed = Array.from({ length: 25 }, () => followPods(api));
    await until(() => server.openWatches === 25);
    assert.equal(await api.get(WEB), undefined);
    assert.ok(server.openConnections >= 3);
    await Promise.all(followed.map(({ end }) => end()));
    await until(() => server.openConnections === 1);
    assert.equal(await api.get(WEB), undefined);
  });

  it('give up connecting to a peer that accepts and says nothing', async () => {
    const proxy = await startStallableProxy();
    proxy.stallNewConnections = true;
    const connection = { ...QUICK, connectTimeoutMs: 40 };
    const { api } = await open({ server: `https://127.0.0.1:${proxy.port}` }, { tuning: { connection } });
    await assert.rejects(api.get(WEB), /no connection within 40 ms/);
  });
});

describe('createApiClient credentials', () => {
  it('reconnect with a client certificate that was replaced, and drop the old connections', async () => {
    const opened = await open({}, { tuning: { credentialCheckMs: 5 } });
    const { received, end } = followPods(opened.api);
    const stop = new AbortController();
    const running = opened.run(stop.signal);
    await until(() => server.openWatches === 1);
    const next = await authority.issue('system:node:renewed', '');
    for (const [name, text] of [
      ['client.key', next.key],
      ['client.crt', next.cert],
    ] as const) {
      await writeFile(join(directory, `${name}.new`), text);
      await rename(join(directory, `${name}.new`), join(directory, name));
    }
    await until(() => server.seen('watch', '/api/v1/pods').length >= 2);
    assert.equal(server.requests.at(-1)?.clientName, 'system:node:renewed');
    assert.deepEqual(received, ['replace ', 'synced']);
    stop.abort();
    await running;
    await end();
  });

  it('read the token file again when the server refuses the token', async () => {
    await server.stop();
    await startServer({ authenticate: ({ headers }) => headers['authorization'] === 'Bearer new' });
    const token = join(directory, 'token');
    await writeFile(token, 'old\n');
    const { api } = await open({ user: { tokenFile: 'token' } });
    await assert.rejects(api.get(WEB), (error) => hasCode(error, 'unauthenticated'));
    await writeFile(token, 'new\n');
    assert.equal(await api.get(WEB), undefined);
    assert.equal(server.requests.length, 3);
  });

  it('never write a secret to the log or into an error', async () => {
    const opened = await open({ user: { token: 'very-secret', username: 'u', password: 'other-secret' } });
    server.plan({ does: { kind: 'refuse', code: 401, reason: 'Unauthorized' }, times: 3 });
    const error = await opened.api.get(WEB).catch((caught: unknown) => caught);
    const text = JSON.stringify(logger.lines) + String(error) + JSON.stringify(error);
    assert.equal(server.requests[0]?.headers['authorization'], 'Bearer very-secret');
    assert.equal(/very-secret|other-secret/.test(text), false);
  });
});

describe('createApiClient follow', () => {
  it('delivers the list and then every change', async () => {
    server.store.create(POD, pod('a') as never);
    server.store.create(POD, pod('elsewhere', 'two') as never);
    const { api } = await open();
    const { followed, received, end } = followPods(api);
    await until(() => server.openWatches === 1);
    server.store.create(POD, pod('b') as never);
    server.store.patch(POD, 'a', { metadata: { labels: { x: 'y' } } }, 'merge');
    server.store.delete(POD, 'b', { gracePeriodSeconds: 0 });
    await until(() => received.includes('DELETED b'));
    assert.deepEqual(received, ['replace a', 'synced', 'ADDED b', 'MODIFIED a', 'DELETED b']);
    assert.equal(followed.health().synced, true);
    await end();
    await until(() => server.openWatches === 0);
  });

  it('continues from a bookmark without a new list when the server ends the watch', async () => {
    const { api } = await open();
    const { followed, received, end } = followPods(api);
    await until(() => server.openWatches === 1);
    server.store.create({ ...POD, plural: 'secrets', place: '/v1/secrets' }, { metadata: { name: 's' } });
    server.store.bookmark();
    const version = server.store.version;
    server.endWatches();
    await until(() => server.seen('watch', '/api/v1/pods').length >= 2);
    assert.equal(server.requests.at(-1)?.query.get('resourceVersion'), version);
    server.store.create(POD, pod('b') as never);
    await until(() => received.includes('ADDED b'));
    assert.deepEqual(received, ['replace ', 'synced', 'ADDED b']);
    const { relists, reconnects } = followed.health();
    assert.equal(relists, 0);
    assert.ok(reconnects >= 1);
    await end();
  });

  it('lists again when its version has expired, in the answer or during a watch', async () => {
    const { api } = await open();
    const { followed, received, end } = followPods(api);
    await until(() => server.openWatches === 1);
    server.endWatches();
    server.store.create(POD, pod('a') as never);
    server.store.compact();
    await until(() => received.includes('replace a') && server.openWatches === 1);
    server.failWatches(new FakeApiRefusal(410, 'Expired', 'too old resource version'));
    await until(() => followed.health().relists === 2);
    await end();
  });

  it('survives a restart of the server and delivers what changed in between', async () => {
    const { api } = await open();
    const { followed, received, end } = followPods(api);
    await until(() => server.openWatches === 1);
    await server.stop();
    server.store.create(POD, pod('while-down') as never);
    await server.start();
    await until(() => received.includes('ADDED while-down') || received.includes('replace while-down'));
    assert.ok(followed.health().reconnects >= 1);
    await end();
  });

  for (const [name, breakIt] of [
    ['packets are dropped', (proxy: StallableProxy) => proxy.stallOpenConnections()],
    ['the connection is half open', (proxy: StallableProxy) => proxy.halfOpen()],
  ] as const)
    it(`finds by ping that ${name} and goes on over a new connection`, async () => {
      const proxy = await startStallableProxy();
      const { api } = await open({ server: `https://127.0.0.1:${proxy.port}` });
      const { followed, received } = followPods(api);
      await until(() => server.openWatches === 1);
      breakIt(proxy);
      server.store.create(POD, pod('unseen') as never);
      await until(() => received.includes('ADDED unseen'));
      assert.deepEqual(received, ['replace ', 'synced', 'ADDED unseen']);
      const { relists, reconnects } = followed.health();
      assert.equal(relists, 0);
      assert.ok(reconnects >= 1 && proxy.accepted >= 2);
    });

  it('continues on a new connection after renewConnections, and reports the health of its watches', async () => {
    const { api, renewConnections, connects, watches } = await open();
    const { received, end } = followPods(api);
    await until(() => server.openWatches === 1);
    renewConnections('a test');
    await until(() => server.seen('watch', '/api/v1/pods').length >= 2);
    server.store.create(POD, pod('b') as never);
    await until(() => received.includes('ADDED b'));
    assert.deepEqual(received, ['replace ', 'synced', 'ADDED b']);
    assert.equal(connects().main, 2);
    const [{ lastEventAgeMs, ...counts } = { lastEventAgeMs: -1 }, ...others] = watches();
    assert.deepEqual(others, []);
    assert.deepEqual(counts, { kind: 'pods', running: 1, relists: 0, reconnects: 1 });
    assert.ok(lastEventAgeMs >= 0);
    await end();
    assert.equal(watches()[0]?.running, 0);
  });

  it('leaves out the managed fields of what it keeps', async () => {
    const { api } = await open();
    const object = { ...pod('a'), metadata: { name: 'a', managedFields: [{ manager: 'x' }] } };
    server.store.create(POD, object as never);
    const stop = new AbortController();
    const followed = api.follow<ApiObject>({ resource: PODS });
    const item = await new Promise<ApiObject | undefined>((resolve) => {
      void followed.run(stop.signal, { onReplace: ([first]) => resolve(first), onEvent: () => {} });
    });
    assert.equal(item?.metadata.name, 'a');
    assert.equal('managedFields' in item.metadata, false);
    stop.abort();
  });
});

/** The least of a proxy: CONNECT only. */
async function startConnectProxy(): Promise<{ port: number; seen: string[]; stop: () => Promise<void> }> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const proxy: Server = createServer();
  proxy.on('connect', (request, client: Socket) => {
    seen.push(`${request.url} ${request.headers['proxy-authorization']}`);
    const [host = '', port] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const stop = async (): Promise<void> => {
    const closed = new Promise((resolve) => proxy.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { port: (proxy.address() as AddressInfo).port, seen, stop };
}
