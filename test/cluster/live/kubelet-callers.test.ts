/**
 * Who may call the kubelet, as the real API server decides it: certificates,
 * service account tokens, rights on sub-resources, and how soon the
 * loss of a right takes effect.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Cluster, NEEDS_CLUSTER, requireVariable, waitFor, withCluster } from './cluster.ts';

const run = promisify(execFile);

interface Caller {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

type Ask = (caller: Caller, path: string, more?: { method?: string; headers?: object }) => Promise<Answer>;

/** Asks the kubelet of the node itself, not through the API server. */
async function kubeletOf(cluster: Cluster): Promise<{ ask: Ask; ca: string; directory: string }> {
  const { status } = await cluster.node();
  const host = status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
  const port = status?.daemonEndpoints?.kubeletEndpoint?.Port;
  const directory = join(requireVariable('KUBELET_TS_HOST_DIR'), 'cluster', 'pki');
  const ca = await readFile(join(directory, 'ca.crt'), 'utf8');
  const ask: Ask = ({ token, cert, key }, path, { method = 'GET', headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const sent = request({
        host,
        port,
        path,
        method,
        ca,
        agent: false,
        ...(cert === undefined ? {} : { cert, key }),
        headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      });
      sent.once('response', (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          body += chunk;
        });
        response.once('end', () => resolve({ status: response.statusCode ?? 0, body }));
      });
      sent.once('upgrade', (response, socket) => {
        socket.destroy();
        resolve({ status: response.statusCode ?? 0, body: '' });
      });
      sent.once('error', reject).setTimeout(30_000, () => sent.destroy(new Error('no answer')));
      sent.end();
    });
  return { ask, ca, directory };
}

/** A client certificate; without an authority to sign it, one of its own. */
async function issue(
  subject: string,
  authority: { readonly directory: string } | undefined,
  days = 2,
): Promise<Caller> {
  const cwd = await mkdtemp(join(tmpdir(), 'kubelet-callers-'));
  try {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'key'];
    await writeFile(join(cwd, 'ext'), 'extendedKeyUsage=clientAuth\n');
    if (authority === undefined)
      await run('openssl', ['req', '-x509', ...key, '-subj', subject, '-days', '2', '-out', 'crt'], { cwd });
    else {
      await run('openssl', ['req', ...key, '-subj', subject, '-out', 'csr'], { cwd });
      const at = (name: string): string => join(authority.directory, name);
      const ca = [
        '-CA',
        at('ca.crt'),
        '-CAkey',
        at('ca.key'),
        '-CAserial',
        join(cwd, 'srl'),
        '-CAcreateserial',
      ];
      const files = ['-in', 'csr', '-extfile', 'ext', '-out', 'crt'];
      await run('openssl', ['x509', '-req', ...ca, '-days', String(days), ...files], { cwd });
    }
    return { cert: await readFile(join(cwd, 'crt'), 'utf8'), key: await readFile(join(cwd, 'key'), 'utf8') };
  } finally {
    await rm(cwd, { recursive: true });
  }
}

/** A service account that may do `verbs` to these sub-resources of nodes, with a token. */
async function account(
  { kubectl }: Cluster,
  namespace: string,
  name: string,
  rules: Readonly<Record<string, string>>,
): Promise<Caller> {
  await kubectl('-n', namespace, 'create', 'serviceaccount', name);
  for (const [resource, verbs] of Object.entries(rules)) {
    const role = `${namespace}-${name}-${resource.replace('/', '-')}`;
    await kubectl('create', 'clusterrole', role, `--verb=${verbs}`, `--resource=${resource}`);
    const subject = `--serviceaccount=${namespace}:${name}`;
    await kubectl('create', 'clusterrolebinding', role, `--clusterrole=${role}`, subject);
    // The API server decides by what its own watch has brought, which may be a little behind.
    const [kind = '', sub = ''] = resource.split('/');
    const caller = [`--subresource=${sub}`, `--as=system:serviceaccount:${namespace}:${name}`];
    for (const verb of verbs.split(','))
      await waitFor(`the right of "${name}"`, () => kubectl('auth', 'can-i', verb, kind, ...caller));
  }
  const token = await kubectl('-n', namespace, 'create', 'token', name, '--duration=1h');
  return { token: token.trim() };
}

async function removeRoles({ kubectl }: Cluster, namespace: string): Promise<void> {
  for (const kind of ['clusterrolebinding', 'clusterrole']) {
    const names = (await kubectl('get', kind, '-o', 'name'))
      .split('\n')
      .filter((name) => name.includes(namespace));
    if (names.length > 0) await kubectl('delete', ...names);
  }
}

const PATHS = [
  '/pods',
  '/runningpods/',
  '/healthz',
  '/metrics',
  '/metrics/probes',
  '/configz',
  '/containerLogs/a/b/c',
];

describe('callers of the kubelet', NEEDS_CLUSTER, () => {
  it('are refused without a credential that the kubelet knows, on every path', () =>
    withCluster(async (cluster) => {
      const { ask, directory } = await kubeletOf(cluster);
      const expired = await issue('/O=system:masters/CN=late', { directory }, 0);
      // Its last second must be over.
      await delay(2_000);
      const unknown: Readonly<Record<string, Caller>> = {
        'no credential': {},
        'a token that is none': { token: 'garbage' },
        'a certificate of another authority': await issue('/O=system:masters/CN=admin', undefined),
        'a certificate that has expired': expired,
      };
      for (const [what, caller] of Object.entries(unknown))
        for (const path of PATHS) {
          const { status, body } = await ask(caller, path);
          assert.deepEqual([status, body.trim()], [401, 'Unauthorized'], `${what} at ${path}`);
        }
      // What is not there is no secret.
      assert.equal((await ask({}, '/nothing')).status, 404);
    }));

  it('need a right, also with a good certificate; administrators have them all', () =>
    withCluster(async (cluster) => {
      const { ask, directory } = await kubeletOf(cluster);
      const visitor = await issue('/O=visitors/CN=visitor', { directory });
      const { status, body } = await ask(visitor, '/pods');
      assert.equal(status, 403);
      assert.equal(body, 'Forbidden (user=visitor, verb=get, resource=nodes, subresource(s)=[pods proxy])\n');
      const admin = await issue('/O=system:masters/CN=boss', { directory });
      for (const path of PATHS) {
        const expected = path.startsWith('/containerLogs') ? 404 : 200;
        assert.equal((await ask(admin, path)).status, expected, path);
      }
    }));

  it('of a service account may do what its roles say, by sub-resource and verb', () =>
    withCluster(async (cluster, namespace) => {
      const { ask } = await kubeletOf(cluster);
      try {
        const callers = {
          none: await account(cluster, namespace, 'none', {}),
          metrics: await account(cluster, namespace, 'metrics', { 'nodes/metrics': 'get' }),
          fine: await account(cluster, namespace, 'fine', { 'nodes/pods': 'get', 'nodes/healthz': 'get' }),
          looks: await account(cluster, namespace, 'looks', { 'nodes/proxy': 'get' }),
          acts: await account(cluster, namespace, 'acts', { 'nodes/proxy': 'get,create' }),
        };
        const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
        const socket = { headers: { ...upgrade, 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' } };
        const exec = '/exec/a/b/c?command=id&output=1';
        const table: readonly (readonly [keyof typeof callers, string, number, object?])[] = [
          ['none', '/metrics', 403],
          ['none', '/pods', 403],
          ['metrics', '/metrics', 200],
          ['metrics', '/metrics/probes', 200],
          ['metrics', '/pods', 403],
          ['metrics', '/healthz', 403],
          ['fine', '/pods', 200],
          ['fine', '/runningpods/', 200],
          ['fine', '/healthz?verbose', 200],
          ['fine', '/configz', 403],
          ['fine', '/metrics', 403],
          ['looks', '/pods', 200],
          ['looks', '/configz', 200],
          ['looks', '/containerLogs/a/b/c', 404],
          ['looks', '/metrics', 403],
          ['looks', exec, 403, socket],
          ['looks', '/run/a/b/c?cmd=id', 403, { method: 'POST' }],
          ['acts', exec, 404, socket],
          ['acts', '/run/a/b/c?cmd=id', 404, { method: 'POST' }],
        ];
        for (const [who, path, expected, more] of table) {
          const { status, body } = await ask(callers[who], path, more ?? {});
          assert.equal(status, expected, `${who} at ${path}: ${body.slice(0, 200)}`);
        }
        const user = `system:serviceaccount:${namespace}:none`;
        assert.equal(
          (await ask(callers.none, '/metrics')).body,
          `Forbidden (user=${user}, verb=get, resource=nodes, subresource(s)=[metrics])\n`,
        );
      } finally {
        await removeRoles(cluster, namespace);
      }
    }));

  it('lose what is taken from them once the kept answers are old', () =>
    withCluster(async (cluster, namespace) => {
      const { ask } = await kubeletOf(cluster);
      try {
        const rules = { 'nodes/metrics': 'get' };
        const kept = await account(cluster, namespace, 'kept', rules);
        const gone = await account(cluster, namespace, 'gone', rules);
        for (const caller of [kept, gone]) assert.equal((await ask(caller, '/metrics')).status, 200);
        await removeRoles(cluster, namespace);
        await cluster.kubectl('-n', namespace, 'delete', 'serviceaccount', 'gone');
        await waitFor('the lost right to count', async () => (await ask(kept, '/metrics')).status === 403);
        await waitFor('the lost account to count', async () => (await ask(gone, '/metrics')).status === 401);
      } finally {
        await removeRoles(cluster, namespace);
      }
    }));
});
