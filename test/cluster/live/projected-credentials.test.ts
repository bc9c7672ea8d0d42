/**
 * Projected trust bundles and pod certificates on a real API server: its
 * checks of what the kubelet asks for, and how soon an answer is in the pod.
 * The features are beta and off: the kubelet runs with them only here.
 */
import assert from 'node:assert/strict';
import { createPrivateKey, randomBytes, type X509Certificate } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { Pod } from '../../../src/core/api/pod.ts';
import { CLUSTER_TRUST_BUNDLES, PODS } from '../../../src/ports/cluster/api-resource.ts';
import { CertificateSigner, type LiveRequest, makeAuthority } from './certificate-signer.ts';
import { type Cluster, NEEDS_CLUSTER, waitFor, waitForReadyPods, withCluster } from './cluster.ts';
import { Daemon } from './daemon.ts';
import { PodWatch, toMarks } from './pod-watch.ts';
import { sleeper } from './sample-objects.ts';

const GATES = ['ClusterTrustBundle', 'ClusterTrustBundleProjection', 'PodCertificateRequest'];
const FLAG = `--feature-gates=${GATES.map((gate) => `${gate}=true`).join()}`;
const SOON_MS = 20_000;
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g;

/** A pod of a user of its own that shows these sources at /shown. */
function showing(name: string, nodeName: string, sources: readonly object[]): object {
  const volumeMounts = [{ name: 'shown', mountPath: '/shown' }];
  const { spec, ...pod } = sleeper(name, { nodeName, fields: { volumeMounts } }) as { spec: object };
  const volumes = [{ name: 'shown', projected: { sources } }];
  return { ...pod, spec: { ...spec, securityContext: { runAsUser: 1234 }, volumes } };
}

function bundle(name: string, trustBundle: string, signerName = '', labels = {}): object {
  return {
    apiVersion: 'certificates.k8s.io/v1beta1',
    kind: 'ClusterTrustBundle',
    metadata: { name, labels },
    spec: { ...(signerName ? { signerName } : {}), trustBundle },
  };
}

const exec = (cluster: Cluster, namespace: string, pod: string, script: string): Promise<string> =>
  cluster.kubectl('-n', namespace, 'exec', pod, '--', 'sh', '-c', script);

async function eventsOf(cluster: Cluster, namespace: string, pod: string): Promise<string[]> {
  const text = await cluster.kubectl(
    ...['-n', namespace, 'get', 'events', '--field-selector', `involvedObject.name=${pod}`],
    ...['-o', 'jsonpath={range .items[*]}{.type} {.reason} {.message}{"\\n"}{end}'],
  );
  return text.split('\n');
}

const hasEvent = (cluster: Cluster, namespace: string, pod: string, event: string): Promise<boolean> =>
  waitFor(`the event "${event}"`, async () => (await eventsOf(cluster, namespace, pod)).includes(event));

const metrics = (cluster: Cluster): Promise<string> =>
  cluster.kubectl('get', '--raw', `/api/v1/nodes/${cluster.nodeName}/proxy/metrics`);

describe('projected credentials', NEEDS_CLUSTER, () => {
  let kubelet: Daemon;
  const restart = async (flags: readonly string[]): Promise<void> => {
    await kubelet.kill();
    kubelet.start([], flags);
  };
  before(async () => {
    kubelet = Daemon.find('kubelet-cluster');
    await restart([FLAG]);
  });
  after(() => restart([]));

  it('shows trust bundles by name and by signer, and every change of them', (t) =>
    withCluster(async (cluster, namespace) => {
      const { api, nodeName } = cluster;
      const mark = randomBytes(4).toString('hex');
      const signerName = `example.com/live-${mark}`;
      const named = `live-${mark}`;
      const late = `live-late-${mark}`;
      const of = (name: string): string => `example.com:live-${mark}:${name}`;
      const [a, b, c, d, e] = (await Promise.all(['a', 'b', 'c', 'd', 'e'].map(makeAuthority))) as [
        string,
        string,
        string,
        string,
        string,
      ];
      const tier = { tier: 'one' };
      try {
        await cluster.apply(
          namespace,
          bundle(named, `words are left out\n${a}`),
          bundle(of('b'), b, signerName, tier),
          bundle(of('c'), c, signerName, tier),
          bundle(of('d'), d, signerName, { tier: 'two' }),
          showing('client', nodeName, [
            { clusterTrustBundle: { name: named, path: 'named.pem' } },
            { clusterTrustBundle: { signerName, labelSelector: { matchLabels: tier }, path: 'tier.pem' } },
            { clusterTrustBundle: { signerName, labelSelector: {}, path: 'all.pem' } },
            { clusterTrustBundle: { name: late, optional: true, path: 'late.pem' } },
            {
              clusterTrustBundle: {
                signerName: 'kubernetes.io/kube-apiserver-serving',
                labelSelector: {},
                path: 'cluster.pem',
              },
            },
          ]),
        );
        await waitForReadyPods(cluster, namespace, 1);
        const shown = async (file: string): Promise<string[]> => {
          const text = await exec(cluster, namespace, 'client', `cat /shown/${file}`);
          const blocks = text.match(PEM) ?? [];
          assert.equal(blocks.join(''), text, 'there is nothing but certificates');
          return blocks.sort();
        };
        assert.deepEqual(await shown('named.pem'), [a]);
        assert.deepEqual(await shown('tier.pem'), [b, c].sort());
        assert.deepEqual(await shown('all.pem'), [b, c, d].sort());
        assert.deepEqual(await shown('late.pem'), []);
        // The controller manager publishes the authority behind the API server.
        const root = await cluster.kubectl(
          ...['-n', namespace, 'get', 'configmap', 'kube-root-ca.crt'],
          ...['-o', 'jsonpath={.data.ca\\.crt}'],
        );
        assert.deepEqual(await shown('cluster.pem'), root.match(PEM));
        assert.equal(
          await exec(cluster, namespace, 'client', 'stat -L -c "%a %u" /shown/named.pem'),
          '600 1234\n',
          'for the user of the pod only',
        );
        const becomes = async (file: string, expected: readonly string[]): Promise<void> => {
          const startedMs = performance.now();
          const text = JSON.stringify(expected.toSorted());
          await waitFor(
            `the change in ${file}`,
            async () => JSON.stringify(await shown(file)) === text,
            SOON_MS,
          );
          t.diagnostic(`${file} after ${Math.round(performance.now() - startedMs)} ms`);
        };
        const ref = (name: string) => ({ resource: CLUSTER_TRUST_BUNDLES, name });
        await api.patch(ref(named), { spec: { trustBundle: e } }, { kind: 'merge' });
        await becomes('named.pem', [e]);
        await cluster.apply(namespace, bundle(late, a));
        await becomes('late.pem', [a]);
        await api.delete(ref(of('b')));
        await becomes('tier.pem', [c]);
        await becomes('all.pem', [c, d]);
      } finally {
        const names = [named, late, of('b'), of('c'), of('d')];
        await cluster.kubectl('delete', 'clustertrustbundles', '--ignore-not-found', ...names);
      }
    }));

  it('keeps a pod waiting for a trust bundle that is not there yet', () =>
    withCluster(async (cluster, namespace) => {
      const name = `live-${randomBytes(4).toString('hex')}`;
      const signerName = `example.com/${name}`;
      const apart = { signerName, labelSelector: { matchLabels: { a: 'b' } }, path: 'ca.pem' };
      try {
        await cluster.apply(
          namespace,
          showing('named', cluster.nodeName, [{ clusterTrustBundle: { name, path: 'ca.pem' } }]),
          showing('signed', cluster.nodeName, [{ clusterTrustBundle: apart }]),
        );
        const failed = 'Warning FailedMount MountVolume.SetUp failed for volume "shown" :';
        const missing = `clustertrustbundle.certificates.k8s.io "${name}" not found`;
        await hasEvent(cluster, namespace, 'named', `${failed} while getting ClusterTrustBundle: ${missing}`);
        const none = 'combination of signerName and labelSelector matched zero ClusterTrustBundles';
        await hasEvent(cluster, namespace, 'signed', `${failed} ${none}`);
        for (const pod of await waitForStatuses(cluster, namespace))
          assert.equal(waitingReason(pod), 'ContainerCreating');
        const authority = await makeAuthority('late');
        await cluster.apply(
          namespace,
          bundle(name, authority),
          bundle(`example.com:${name}:x`, authority, signerName, { a: 'b' }),
        );
        await waitForReadyPods(cluster, namespace, 2);
      } finally {
        const names = [name, `example.com:${name}:x`];
        await cluster.kubectl('delete', 'clustertrustbundles', '--ignore-not-found', ...names);
      }
    }));

  it('has a certificate signed for a pod, renews it in time, and requests again after a restart', () =>
    withCluster(async (cluster, namespace) => {
      await using signer = await CertificateSigner.create(cluster);
      const source = {
        signerName: signer.name,
        keyType: 'ECDSAP384',
        credentialBundlePath: 'bundle.pem',
        keyPath: 'apart/key.pem',
        certificateChainPath: 'apart/chain.pem',
        userAnnotations: { 'example.com/team': 'blue' },
      };
      await cluster.apply(
        namespace,
        { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } },
        withAccount(showing('server', cluster.nodeName, [{ podCertificate: source }]), 'robot'),
      );
      const request = await signer.pending(namespace, 'server');
      await checkRequest(cluster, namespace, request, signer.name);
      await hasEvent(
        cluster,
        namespace,
        'server',
        'Warning FailedMount MountVolume.SetUp failed for volume "shown" : credential bundle is not issued yet',
      );
      const state = (name: string): string =>
        `kubelet_podcertificate_states{signer_name="${signer.name}",state="${name}"} 1`;
      assert.ok((await metrics(cluster)).includes(state('not_yet_issued')));
      const first = await signer.issueOverdue(request);
      const marks = toMarks(await waitForReadyPods(cluster, namespace, 1));
      await showsCertificate(cluster, namespace, first);

      // Its date of renewal has passed: another is asked for at once, and the first serves meanwhile.
      await using watch = new PodWatch(cluster, namespace);
      await watch.waitForReady('server');
      const again = await signer.pending(namespace, 'server');
      assert.notEqual(again.metadata.name, request.metadata.name);
      assert.notEqual(
        again.spec.stubPKCS10Request,
        request.spec.stubPKCS10Request,
        'it has a key of its own',
      );
      await showsCertificate(cluster, namespace, first);
      const second = await signer.issue(again);
      await showsCertificate(cluster, namespace, second);
      await waitFor('the metric', async () => (await metrics(cluster)).includes(state('fresh')));

      // What was issued is in memory only, as upstream's: a new kubelet asks, and pods do not notice.
      await restart([FLAG]);
      const third = await signer.issue(await signer.pending(namespace, 'server'));
      await showsCertificate(cluster, namespace, third);
      assert.deepEqual(watch.changes, []);
      assert.deepEqual(toMarks(await cluster.pods(namespace)), marks);
      assert.equal((await signer.requests(namespace, 'server')).length, 3);
    }));

  for (const [type, was] of [
    ['Denied', 'was denied'],
    ['Failed', 'failed'],
  ] as const)
    it(`keeps a pod from starting whose certificate is ${type.toLowerCase()}, and says why`, () =>
      withCluster(async (cluster, namespace) => {
        await using signer = await CertificateSigner.create(cluster);
        const source = { signerName: signer.name, keyType: 'ED25519', credentialBundlePath: 'bundle.pem' };
        await cluster.apply(namespace, showing('server', cluster.nodeName, [{ podCertificate: source }]));
        const request = await signer.pending(namespace, 'server');
        await signer.refuse(request, type, 'Unwanted', 'no "known" client');
        const why = (separator: string): string =>
          `reason="Unwanted"${separator} message="no \\"known\\" client"`;
        const name = `${namespace}/${request.metadata.name}`;
        await hasEvent(
          cluster,
          namespace,
          'server',
          `Warning ${type} Unwanted: PodCertificateRequest ${name} ${was}, ${why(',')}`,
        );
        const permanently = `PodCertificateRequest was permanently ${type.toLowerCase()}: ${why('')}`;
        await hasEvent(
          cluster,
          namespace,
          'server',
          `Warning FailedMount MountVolume.SetUp failed for volume "shown" : ${permanently}`,
        );
        const [pod] = await waitForStatuses(cluster, namespace);
        assert.equal(pod?.status?.phase, 'Pending');
        assert.equal(waitingReason(pod), 'ContainerCreating');
        assert.equal((await signer.requests(namespace, 'server')).length, 1, 'it is asked for once');
      }));
});

/** The pods once the kubelet has written about each: events and statuses come in any order. */
function waitForStatuses(cluster: Cluster, namespace: string): Promise<readonly Pod[]> {
  return waitFor('what the kubelet says of the pods', async () => {
    const pods = await cluster.pods(namespace);
    return pods.every(({ status }) => status?.containerStatuses !== undefined) && pods;
  });
}

function waitingReason(pod: Pod | undefined): string | undefined {
  return pod?.status?.containerStatuses?.[0]?.state.waiting?.reason;
}

function withAccount(pod: object, serviceAccountName: string): object {
  const { spec, ...rest } = pod as { spec: object };
  return { ...rest, spec: { ...spec, serviceAccountName } };
}

/** The API server has compared most of it with what it knows; this is what it stored. */
async function checkRequest(
  cluster: Cluster,
  namespace: string,
  { metadata, spec }: LiveRequest,
  signerName: string,
): Promise<void> {
  const pod = await cluster.api.get<Pod>({ resource: PODS, namespace, name: 'server' });
  const uid = pod?.metadata.uid;
  const accountUid = await cluster.kubectl(
    ...['-n', namespace, 'get', 'serviceaccount', 'robot', '-o', 'jsonpath={.metadata.uid}'],
  );
  // Two fields of an older form are null.
  const { stubPKCS10Request: _proof, ...rest } = spec;
  const shown = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  assert.deepEqual(shown, {
    signerName,
    podName: 'server',
    podUID: uid,
    serviceAccountName: 'robot',
    serviceAccountUID: accountUid,
    nodeName: cluster.nodeName,
    nodeUID: (await cluster.node()).metadata.uid,
    maxExpirationSeconds: 86_400,
    unverifiedUserAnnotations: { 'example.com/team': 'blue' },
  });
  assert.match(metadata.name, /^req-/);
  assert.deepEqual(metadata.ownerReferences, [{ apiVersion: 'v1', kind: 'Pod', name: 'server', uid }]);
}

/** In the container are this certificate and its key, for the pod's user only. */
async function showsCertificate(
  cluster: Cluster,
  namespace: string,
  certificate: X509Certificate,
): Promise<void> {
  const read = (path: string): Promise<string> => exec(cluster, namespace, 'server', `cat /shown/${path}`);
  await waitFor(
    'the certificate in the container',
    async () => (await read('apart/chain.pem')) === certificate.toString(),
    SOON_MS,
  );
  const key = await read('apart/key.pem');
  assert.match(key, /^-----BEGIN PRIVATE KEY-----\n/);
  assert.ok(certificate.checkPrivateKey(createPrivateKey(key)));
  assert.equal(await read('bundle.pem'), `${key}${certificate.toString()}`);
  const modes = await exec(
    cluster,
    namespace,
    'server',
    'stat -L -c "%a %u" /shown/bundle.pem /shown/apart/*',
  );
  assert.equal(modes, '600 1234\n'.repeat(3));
}
