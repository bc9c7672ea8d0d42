/**
 * A node that knows nothing but a bootstrap token: it asks for its
 * certificates, gets them, renews them while pods run, and finds them again
 * after a restart. The cluster's own kubelet steps aside for it meanwhile, and
 * certificates live for minutes, so that a renewal comes within the test.
 */
import assert from 'node:assert/strict';
import { randomBytes, X509Certificate } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { connect } from 'node:tls';
import type { CertificateSigningRequest } from '../../../src/core/certificate/signing-request.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../../../src/ports/cluster/api-resource.ts';
import {
  type Cluster,
  CONTROLLERS_MS,
  isReady,
  NEEDS_CLUSTER,
  requireVariable,
  waitFor,
  waitForReadyPods,
  withCluster,
} from './cluster.ts';
import { Daemon } from './daemon.ts';
import { PodWatch, toMarks } from './pod-watch.ts';
import { sleeper } from './sample-objects.ts';

/** The signer dates certificates back by 5 minutes: 70–90 % of the life is 30 to 120 s from now. */
const SIGNING_DURATION = '170s';
const SERVING = 'kubernetes.io/kubelet-serving';
const CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet';
const TOKEN_ID = randomBytes(3).toString('hex');
const TOKEN_SECRET = randomBytes(8).toString('hex');
const GROUP = `system:bootstrappers:live-${TOKEN_ID}`;

type Request = CertificateSigningRequest & { readonly spec: { readonly username: string } };

describe('a node with a bootstrap token', NEEDS_CLUSTER, () => {
  it('gets its certificates, renews them unnoticed, and finds them after a restart', (t) =>
    withCluster(async (cluster, namespace) => {
      const directory = mkdtempSync(join(tmpdir(), 'kubelet-bootstrap-'));
      const kubelet = Daemon.find('kubelet-cluster');
      const signer = Daemon.find('cluster-kube-controller-manager');
      const before = new Set((await requests(cluster)).map(({ metadata }) => metadata.name));
      const fresh = async (): Promise<Request[]> =>
        (await requests(cluster)).filter(({ metadata }) => !before.has(metadata.name));
      try {
        await cluster.apply(
          namespace,
          sleeper('stays'),
          sleeper('probed', {
            fields: { readinessProbe: { exec: { command: ['true'] }, periodSeconds: 1 } },
          }),
        );
        const marks = toMarks(await waitForReadyPods(cluster, namespace, 2));
        await using watch = new PodWatch(cluster, namespace);
        await watch.waitForReady('probed');
        await signer.kill();
        signer.start([], [`--cluster-signing-duration=${SIGNING_DURATION}`]);
        await cluster.apply('kube-system', ...bootstrapObjects());
        const flags = writeFiles(directory, kubelet.argument('--config'));
        await kubelet.kill();
        kubelet.start([], flags);

        const first = await waitFor(
          'a client certificate',
          () => currentCertificate(directory, 'client'),
          CONTROLLERS_MS,
        );
        const [asked] = (await fresh()).filter(({ spec }) => spec.signerName === CLIENT);
        assert.equal(asked?.spec.username, `system:bootstrap:${TOKEN_ID}`);
        assert.match(asked?.metadata.name ?? '', /^csr-/);
        assert.equal(first.certificate.subject, `O=system:nodes\nCN=system:node:${cluster.nodeName}`);
        assert.equal(statSync(first.path).mode & 0o777, 0o600);
        assert.match(first.path, /kubelet-client-\d{4}(-\d\d){5}\.pem$/);
        assert.equal(statSync(join(directory, 'kubelet.conf')).mode & 0o777, 0o600);

        const serving = await waitFor('a request for a serving certificate', async () =>
          (await fresh()).find(({ spec }) => spec.signerName === SERVING),
        );
        assert.equal(serving.spec.username, `system:node:${cluster.nodeName}`);
        await assert.rejects(handshake(cluster), 'no certificate is served before it is signed');
        await cluster.kubectl('certificate', 'approve', serving.metadata.name);
        const served = await waitFor('the serving certificate in use', () => handshake(cluster));
        assert.match(served.subjectAltName ?? '', new RegExp(`DNS:${cluster.nodeName}.*IP Address:`));
        // The API server checks the certificate of the kubelet that it calls.
        const exec = ['-n', namespace, 'exec', 'stays', '--', 'echo', 'inside'];
        assert.equal(await cluster.kubectl(...exec), 'inside\n');
        const metrics = await cluster.kubectl(
          'get',
          '--raw',
          `/api/v1/nodes/${cluster.nodeName}/proxy/metrics`,
        );
        assert.match(metrics, /^kubelet_certificate_manager_client_ttl_seconds \d+$/m);
        assert.match(metrics, /^kubelet_certificate_manager_server_ttl_seconds \d+$/m);
        assert.match(metrics, /^kubelet_certificate_manager_client_expiration_renew_errors 0$/m);

        const startedMs = performance.now();
        const renewed = await waitFor(
          'renewed client and serving certificates',
          async () => {
            await approveServing(cluster, await fresh());
            const now = currentCertificate(directory, 'client');
            const changed = now !== undefined && now.path !== first.path;
            return changed && (await handshake(cluster)).serialNumber !== served.serialNumber && now;
          },
          240_000,
        );
        t.diagnostic(`renewed after ${Math.round((performance.now() - startedMs) / 1000)} s`);
        const own = (await fresh()).filter(
          ({ spec }) => spec.signerName === CLIENT && spec.username === `system:node:${cluster.nodeName}`,
        );
        assert.ok(own.length >= 1, 'the renewal was asked for with the certificate itself');
        assert.equal(await cluster.kubectl(...exec), 'inside\n');
        await waitFor(
          'the renewal to outlive the first certificate',
          () => Date.now() > first.certificate.validToDate.getTime(),
          240_000,
        );
        assert.ok(isReady(await cluster.node()));
        assert.deepEqual(watch.changes, [], 'an API watcher saw nothing happen to pods');

        const known = new Set((await fresh()).map(({ metadata }) => metadata.name));
        await kubelet.kill();
        kubelet.start([], flags);
        await cluster.apply(namespace, sleeper('after', { nodeName: cluster.nodeName }));
        await watch.waitForReady('after');
        const later = (await fresh()).filter(({ metadata }) => !known.has(metadata.name));
        assert.deepEqual(
          later.filter(({ spec }) => spec.username.startsWith('system:bootstrap:')),
          [],
        );
        assert.ok(existsSync(renewed.path));
        await cluster.kubectl('-n', namespace, 'delete', 'pod', 'after');
        assert.deepEqual(toMarks(await waitForReadyPods(cluster, namespace, 2)), marks);
      } finally {
        for (const daemon of [kubelet, signer]) if (daemon.isRunning) await daemon.kill();
        signer.start();
        kubelet.start();
        await cluster.kubectl(
          '-n',
          'kube-system',
          'delete',
          'secret',
          `bootstrap-token-${TOKEN_ID}`,
          '--ignore-not-found',
        );
        await cluster.kubectl('delete', 'clusterrolebinding', '-l', `live=${TOKEN_ID}`);
        rmSync(directory, { recursive: true, force: true });
      }
    }));
});

async function requests({ api }: Cluster): Promise<readonly Request[]> {
  return (await api.list<Request>({ resource: CERTIFICATE_SIGNING_REQUESTS })).items;
}

/** No controller of the cluster approves serving certificates. */
async function approveServing(cluster: Cluster, all: readonly Request[]): Promise<void> {
  for (const { metadata, spec, status } of all)
    if (spec.signerName === SERVING && (status?.conditions ?? []).length === 0)
      await cluster.kubectl('certificate', 'approve', metadata.name);
}

function currentCertificate(
  directory: string,
  which: 'client' | 'server',
): { path: string; certificate: X509Certificate } | undefined {
  const link = join(directory, 'pki', `kubelet-${which}-current.pem`);
  if (!existsSync(link)) return undefined;
  const path = readlinkSync(link);
  return { path, certificate: new X509Certificate(readFileSync(path)) };
}

/** The certificate that the kubelet's port shows; rejects when there is none. */
async function handshake(cluster: Cluster): Promise<X509Certificate> {
  const { status } = await cluster.node();
  const host = status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '127.0.0.1';
  const port = status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 10250;
  const ca = readFileSync(join(requireVariable('KUBELET_TS_HOST_DIR'), 'cluster', 'pki', 'ca.crt'));
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, ca, servername: '' }, () => {
      const certificate = socket.getPeerX509Certificate();
      socket.destroy();
      if (certificate === undefined) reject(new Error('no certificate'));
      else resolve(certificate);
    });
    socket.once('error', reject);
  });
}

/** The flags that make the cluster's kubelet a node that has only the token. */
function writeFiles(directory: string, configPath: string): string[] {
  const admin = readFileSync(requireVariable('KUBECONFIG'), 'utf8');
  const [server] = /https:\/\/\S+/.exec(admin) ?? [];
  const [, authority] = /certificate-authority-data: (\S+)/.exec(admin) ?? [];
  const bootstrap = join(directory, 'bootstrap.conf');
  writeFileSync(
    bootstrap,
    `apiVersion: v1
kind: Config
current-context: c
contexts: [{ name: c, context: { cluster: c, user: u } }]
clusters: [{ name: c, cluster: { server: "${server}", certificate-authority-data: ${authority} } }]
users: [{ name: u, user: { token: ${TOKEN_ID}.${TOKEN_SECRET} } }]
`,
    { mode: 0o600 },
  );
  const config = join(directory, 'config.yaml');
  const lines = readFileSync(configPath, 'utf8')
    .split('\n')
    .filter((line) => !/^(tlsCertFile|tlsPrivateKeyFile):/.test(line));
  writeFileSync(config, [...lines, 'rotateCertificates: true', 'serverTLSBootstrap: true', ''].join('\n'));
  const kubeconfig = join(directory, 'kubelet.conf');
  return [
    ...['--config', config, '--kubeconfig', kubeconfig, '--bootstrap-kubeconfig', bootstrap],
    ...['--cert-dir', join(directory, 'pki')],
  ];
}

/** The token, and what kubeadm gives to its group and to nodes. */
function bootstrapObjects(): object[] {
  const approver = 'system:certificates.k8s.io:certificatesigningrequests';
  const binding = (role: string, group: string): object => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: `live-${TOKEN_ID}-${role.replaceAll(/[^a-z]/g, '-')}`, labels: { live: TOKEN_ID } },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }],
  });
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'bootstrap.kubernetes.io/token',
    metadata: { name: `bootstrap-token-${TOKEN_ID}` },
    stringData: {
      'token-id': TOKEN_ID,
      'token-secret': TOKEN_SECRET,
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': GROUP,
    },
  };
  return [
    secret,
    binding('system:node-bootstrapper', GROUP),
    binding(`${approver}:nodeclient`, GROUP),
    binding(`${approver}:selfnodeclient`, 'system:nodes'),
  ];
}
