/**
 * A cluster as kubeadm makes, changes and removes it, with our kubelet (or the upstream one) on both of its machines:
 * what an administrator does, and what must be true then. The steps follow one another; after one that fails the rest
 * is left out.
 *
 * usage (root): make cluster-kubeadm [KUBELET=upstream|both]        (kubeadm.sh makes the machines)
 */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Node } from '../../src/core/api/node.ts';
import type { Pod } from '../../src/core/api/pod.ts';
import type { CertificateSigningRequest } from '../../src/core/certificate/signing-request.ts';
import { CONTROLLERS_MS, isReady, waitFor } from '../cluster/live/cluster.ts';
import { clientPod, IGNORED_CHECKS, toInitDocuments, webObjects } from './cluster-documents.ts';
import { Machine, requireVariable } from './machine.ts';
import { renderTimes, type Times, writeTimes } from './times.ts';

const KIND = requireVariable('KUBEADM_KUBELET');
const VERSION = requireVariable('KUBEADM_VERSION');
const ADDRESS = '192.0.2.1';
const CURRENT = '/var/lib/kubelet/pki/kubelet-client-current.pem';
const POINTS_TO_CURRENT = /client-certificate: "?\/var\/lib\/kubelet\/pki\/kubelet-client-current\.pem"?$/m;
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
const PATIENT = '--timeout=240s';
const IGNORE = `--ignore-preflight-errors=${IGNORED_CHECKS}`;
const STATIC_PODS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
/** How many calls of a Service reach all of its few pods, except once in a million runs. */
const CALLS = 60;
const MAX_PODS = 77;

type List<T> = { readonly items: readonly T[] };
type Request = CertificateSigningRequest & { readonly spec: { readonly username: string } };
type Lease = { readonly spec: { readonly renewTime: string } };
type Service = {
  readonly spec: { readonly clusterIP: string; readonly ports: readonly { nodePort: number }[] };
};
type ConfigMap = { readonly data: Readonly<Record<string, string>> };

const control = new Machine('control-plane');
const worker = new Machine('worker');
const times: Record<string, number> = {};

/** Measures from `began`, which is when `body` begins unless given. */
async function measure<T>(what: string, body: () => Promise<T>, began = performance.now()): Promise<T> {
  const result = await body();
  times[what] = (performance.now() - began) / 1000;
  return result;
}

let failed = false;

/** A test that only makes sense after those before it. */
function step(name: string, body: () => Promise<void>): void {
  it(name, async (t) => {
    if (failed) return t.skip('a step before it failed');
    failed = true;
    await body();
    failed = false;
  });
}

/** For `waitFor`: what comes in a minute or two is not asked for all the time, which would cost more than the cluster. */
function slowly<T>(ask: () => Promise<T | false>): () => Promise<T | false> {
  return async () => {
    const answer = await ask();
    if (answer === false) await delay(1_000);
    return answer;
  };
}

async function currentCertificate(machine: Machine): Promise<X509Certificate> {
  return new X509Certificate(await machine.read(CURRENT));
}

async function systemPods(): Promise<readonly Pod[]> {
  return (await control.get<List<Pod>>('pods', '-n', 'kube-system')).items;
}

async function node(name: string): Promise<Node> {
  return control.get<Node>('node', name);
}

/** Which pods of the Service answered calls by its name from a pod. */
async function answering(client: string, host = 'web.default.svc.cluster.local'): Promise<Set<string>> {
  const script = `for i in $(seq ${CALLS}); do curl -sSf -m 20 http://${host}/ || exit 1; done`;
  const pages = await control.kubectl('exec', client, '--', 'sh', '-c', script);
  return new Set([...pages.matchAll(/served by pod <b>([^<]+)<\/b>/g)].map(([, pod]) => pod ?? ''));
}

async function webPods(): Promise<readonly Pod[]> {
  return (await control.get<List<Pod>>('pods', '-l', 'app=web')).items;
}

/** Every container of the cluster with its id and restarts: what must stay as it is when only a kubelet restarts. */
async function containerMarks(): Promise<readonly string[]> {
  const { items } = await control.get<List<Pod>>('pods', '--all-namespaces');
  return items
    .flatMap(({ metadata, status }) =>
      (status?.containerStatuses ?? []).map(
        ({ name, containerID, restartCount }) => `${metadata.name}/${name} ${containerID} ${restartCount}`,
      ),
    )
    .sort();
}

async function requestsFor(nodeName: string): Promise<readonly Request[]> {
  const { items } = await control.get<List<Request>>('certificatesigningrequests');
  return items.filter(
    ({ spec }) =>
      spec.signerName === CLIENT_SIGNER &&
      (spec.username === `system:node:${nodeName}` || spec.username.startsWith('system:bootstrap:')),
  );
}

describe(`a cluster of kubeadm with the ${KIND} kubelet`, () => {
  let beganInit: number;
  let first: X509Certificate;

  after(() => {
    const done: Times = times;
    writeTimes(requireVariable('KUBEADM_TIMES'), done);
    process.stdout.write(`${renderTimes(new Map([[KIND, done]]))}\n`);
  });

  step('before kubeadm has written its configuration, the kubelet ends and is started again', async () => {
    for (const machine of [control, worker]) {
      await machine.run('systemctl', 'start', 'kubelet').catch(() => undefined);
      await waitFor('a kubelet between two starts', async () =>
        /^ +Active: activating$/m.test(await machine.run('systemctl', 'status', 'kubelet')),
      );
      assert.match(
        await machine.read('/var/log/kubelet.log'),
        /\/var\/lib\/kubelet\/config.yaml.*no such file/i,
      );
    }
    // Nothing comes of it there until the machine joins.
    await worker.run('systemctl', 'stop', 'kubelet');
  });

  step('init: the control plane runs as static pods of the kubelet', async () => {
    await control.write(
      '/root/init.yaml',
      toInitDocuments({ version: VERSION, address: ADDRESS, runtime: control.runtime }),
    );
    beganInit = performance.now();
    const output = await measure('init → control plane initialised', () =>
      control.run('kubeadm', 'init', '--config=/root/init.yaml'),
    );
    assert.match(output, /Your Kubernetes control-plane has initialized successfully!/);
    // It found the certificate that the kubelet keeps to be rotated.
    assert.match(output, /Updating "\/etc\/kubernetes\/kubelet.conf" to point to a rotatable kubelet client/);
    assert.match(await control.read('/etc/kubernetes/kubelet.conf'), POINTS_TO_CURRENT);
    assert.equal((await control.run('systemctl', 'is-active', 'kubelet')).trim(), 'active');
    const { status } = await node(control.node);
    assert.equal(status?.nodeInfo?.kubeletVersion?.includes('ts'), KIND === 'ours');
  });

  step('init: node, static pods, kube-proxy and CoreDNS become Ready', async () => {
    await measure(
      'init → all Ready',
      async () => {
        await control.kubectl('wait', `node/${control.node}`, '--for=condition=Ready', PATIENT);
        await control.kubectl('-n', 'kube-system', 'rollout', 'status', 'daemonset/kube-proxy', PATIENT);
        await control.kubectl('-n', 'kube-system', 'rollout', 'status', 'deployment/coredns', PATIENT);
        await control.kubectl('-n', 'kube-system', 'wait', 'pods', '--all', '--for=condition=Ready', PATIENT);
      },
      beganInit,
    );
    const pods = await systemPods();
    const mirrors = pods.filter(({ metadata }) => metadata.annotations?.['kubernetes.io/config.mirror']);
    assert.deepEqual(
      mirrors.map(({ metadata }) => metadata.name).sort(),
      STATIC_PODS.map((name) => `${name}-${control.node}`),
    );
    assert.equal(pods.length, STATIC_PODS.length + 3, 'with kube-proxy and two of CoreDNS');
    assert.equal((await node(control.node)).spec?.podCIDR, '10.192.0.0/16');
  });

  step('a Deployment is reached through its Service by name, from a pod', async () => {
    await control.kubectl('taint', 'nodes', control.node, 'node-role.kubernetes.io/control-plane-');
    await control.apply(...webObjects(2), clientPod('here', control.node));
    await measure('Deployment → Ready', async () => {
      await control.kubectl('rollout', 'status', 'deployment/web', PATIENT);
    });
    await control.kubectl('wait', 'pod/here', '--for=condition=Ready', PATIENT);
    const expected = (await webPods()).map(({ metadata }) => metadata.name);
    assert.equal(expected.length, 2);
    assert.deepEqual([...(await answering('here'))].sort(), expected.sort());
    assert.ok(
      (await answering('here', 'web')).size > 0,
      'the search list of a pod begins with its namespace',
    );
    // It is kube-proxy that brought the calls there.
    const { spec } = await control.get<Service>('service', 'web');
    const rules = await control.run('iptables-save', '-t', 'nat');
    assert.match(rules, new RegExp(`-A KUBE-SERVICES -d ${spec.clusterIP}/32 .* -j KUBE-SVC-`));
  });

  step('join: a second node gets its certificate by a token, and becomes Ready', async () => {
    const [, , ...words] = (await control.run('kubeadm', 'token', 'create', '--print-join-command'))
      .trim()
      .split(/\s+/);
    const began = performance.now();
    const output = await measure(
      'join → joined',
      () => worker.run('kubeadm', 'join', ...words, `--cri-socket=${worker.runtime}`, IGNORE),
      began,
    );
    assert.match(output, /This node has joined the cluster/);
    await measure(
      'join → Ready',
      () => control.kubectl('wait', `node/${worker.node}`, '--for=condition=Ready', PATIENT),
      began,
    );
    first = await currentCertificate(worker);
    assert.equal(first.subject, `O=system:nodes\nCN=system:node:${worker.node}`);
    const asked = await requestsFor(worker.node);
    assert.ok(asked.some(({ spec }) => spec.username.startsWith('system:bootstrap:')));
    assert.match(await worker.read('/etc/kubernetes/kubelet.conf'), POINTS_TO_CURRENT);
    assert.ok(
      !(await worker.list('/etc/kubernetes')).includes('bootstrap-kubelet.conf'),
      'the token is not kept',
    );
    assert.equal((await node(worker.node)).spec?.podCIDR, '10.193.0.0/16');
  });

  step('join: pods of both nodes are behind the Service, on every address it has', async () => {
    await control.apply(...webObjects(4), clientPod('there', worker.node));
    await control.kubectl('rollout', 'status', 'deployment/web', PATIENT);
    await control.kubectl('-n', 'kube-system', 'rollout', 'status', 'daemonset/kube-proxy', PATIENT);
    await control.kubectl('wait', 'pod/there', '--for=condition=Ready', PATIENT);
    const pods = await webPods();
    assert.deepEqual([...new Set(pods.map(({ spec }) => spec.nodeName))].sort(), [control.node, worker.node]);
    const expected = pods.map(({ metadata }) => metadata.name).sort();
    const { spec } = await control.get<Service>('service', 'web');
    const port = spec.ports[0]?.nodePort;
    for (const client of ['here', 'there']) {
      assert.deepEqual([...(await answering(client))].sort(), expected, `from the pod "${client}"`);
      for (const address of [ADDRESS, '192.0.2.2'])
        assert.deepEqual([...(await answering(client, `${address}:${port}`))].sort(), expected, address);
    }
    // The API server calls the kubelet of the other machine.
    assert.equal((await control.kubectl('exec', 'there', '--', 'hostname')).trim(), 'there');
  });

  step(
    'upgrade node: the kubelets take the configuration of the cluster; no container starts again',
    async () => {
      const before = await containerMarks();
      const { data } = await control.get<ConfigMap>('configmap', 'kubelet-config', '-n', 'kube-system');
      const kubelet = `${data['kubelet'] ?? ''}maxPods: ${MAX_PODS}\n`;
      const patch = JSON.stringify({ data: { kubelet } });
      await control.kubectl('-n', 'kube-system', 'patch', 'configmap', 'kubelet-config', '-p', patch);
      for (const machine of [control, worker]) {
        await machine.run('kubeadm', 'upgrade', 'node', IGNORE);
        const config = await machine.read('/var/lib/kubelet/config.yaml');
        assert.match(config, new RegExp(`^maxPods: ${MAX_PODS}$`, 'm'));
        assert.match(config, new RegExp(`^containerRuntimeEndpoint: ${machine.runtime}$`, 'm'));
        assert.match(
          await machine.read('/var/lib/kubelet/instance-config.yaml'),
          /^containerRuntimeEndpoint: /m,
        );
        await machine.run('systemctl', 'restart', 'kubelet');
        await waitFor(
          `${MAX_PODS} pods as the capacity of ${machine.node}`,
          async () => (await node(machine.node)).status?.capacity?.['pods'] === String(MAX_PODS),
          CONTROLLERS_MS,
        );
        assert.ok(isReady(await node(machine.node)));
      }
      assert.deepEqual(await containerMarks(), before);
    },
  );

  step('rotation: the node renews its certificate before the first one expires, and goes on', async () => {
    const renewed = await waitFor(
      'another certificate',
      slowly(async () => {
        const certificate = await currentCertificate(worker);
        return certificate.serialNumber !== first.serialNumber && certificate;
      }),
      CONTROLLERS_MS,
    );
    assert.equal(renewed.subject, first.subject);
    assert.ok(renewed.validToDate > first.validToDate);
    // By kubeadm's rule of approval: it asked as itself, not with a token.
    const own = (await requestsFor(worker.node)).filter(
      ({ spec }) => spec.username === `system:node:${worker.node}`,
    );
    assert.ok(own.length > 0);
    for (const { status } of own) assert.ok(status?.conditions?.some(({ type }) => type === 'Approved'));
    await waitFor(
      'a heartbeat after the first certificate has expired',
      slowly(async () => {
        const { spec } = await control.get<Lease>('lease', worker.node, '-n', 'kube-node-lease');
        return new Date(spec.renewTime) > first.validToDate;
      }),
      CONTROLLERS_MS,
    );
    assert.ok(isReady(await node(worker.node)));
    assert.ok((await answering('there')).size > 0);
  });

  step('reset: each machine is as before, the second node first', async () => {
    await control.kubectl(
      'drain',
      worker.node,
      '--ignore-daemonsets',
      '--force',
      '--grace-period=1',
      PATIENT,
    );
    for (const machine of [worker, control]) {
      await measure(`reset of the ${machine.name}`, () =>
        machine.run('kubeadm', 'reset', '--force', `--cri-socket=${machine.runtime}`),
      );
      if (machine === worker) await control.kubectl('delete', 'node', worker.node);
      await assert.rejects(machine.run('systemctl', 'is-active', 'kubelet'), /inactive/);
      const socket = machine.runtime.replace('unix://', '');
      assert.equal(await machine.run('ctr', '-a', socket, '-n', 'k8s.io', 'containers', 'ls', '-q'), '');
      const mounts = await machine.read('/proc/self/mountinfo');
      assert.ok(!mounts.includes(' /var/lib/kubelet/'), 'no volume is mounted');
      assert.deepEqual(await machine.list('/var/lib/kubelet'), []);
      assert.deepEqual(await machine.list('/var/lib/etcd'), []);
      for (const path of ['manifests', 'pki'])
        assert.deepEqual(await machine.list(`/etc/kubernetes/${path}`), []);
      const files = await machine.list('/etc/kubernetes');
      assert.deepEqual(
        files.filter((name) => name.endsWith('.conf')),
        [],
      );
    }
  });
});
