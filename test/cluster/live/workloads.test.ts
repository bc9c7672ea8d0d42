/** What people run on a node: each kind of workload, and the commands they use on it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { container } from '../../integration/sample-pods.ts';
import { isReady, NEEDS_CLUSTER, waitFor, waitForReadyPods, withCluster } from './cluster.ts';
import { BUSYBOX, podTemplate, sleeper, workload } from './sample-objects.ts';

describe('a node of a real cluster', NEEDS_CLUSTER, () => {
  it('is Ready and reports the Kubernetes version with ours as build metadata', () =>
    withCluster(async ({ kubectl, node, nodeName }) => {
      const { status } = await node();
      assert.match(status?.nodeInfo?.kubeletVersion ?? '', /^v1\.36\.4\+ts\.\d+\.\d+\.\d+/);
      const wide = await kubectl('get', 'node', nodeName, '-o', 'wide');
      assert.match(wide, /^kts-node +Ready +<none> .* v1\.36\.4\+ts\..* containerd:\/\/2\./m);
    }));

  it('runs, describes, logs, executes and deletes a pod', () =>
    withCluster(async (cluster, namespace) => {
      const { kubectl } = cluster;
      const run = ['run', 'web', `--image=${BUSYBOX}`, '--image-pull-policy=IfNotPresent', '--command', '--'];
      await kubectl('-n', namespace, ...run, 'sh', '-c', 'echo hello; exec /bin/tini -- sleep infinity');
      await waitForReadyPods(cluster, namespace, 1, 'run=web');
      assert.equal(await kubectl('-n', namespace, 'logs', 'web'), 'hello\n');
      assert.equal(await kubectl('-n', namespace, 'exec', 'web', '--', 'echo', 'inside'), 'inside\n');
      const listed = await waitFor('the events of the pod', async () => {
        const text = await kubectl('-n', namespace, 'describe', 'pod', 'web');
        return /Normal +Started +/.test(text) && text;
      });
      for (const event of ['Scheduled', 'Pulled', 'Created', 'Started'])
        assert.match(listed, new RegExp(`Normal +${event} +`));
      await kubectl('-n', namespace, 'delete', 'pod', 'web', '--timeout=60s');
      assert.deepEqual(await cluster.pods(namespace), []);
    }));

  it('rolls a deployment of ten replicas over to a new version', () =>
    withCluster(async (cluster, namespace) => {
      const rollout = ['-n', namespace, 'rollout', 'status', 'deployment/web', '--timeout=180s'];
      await cluster.apply(namespace, workload('Deployment', 'web', { replicas: 10 }));
      await cluster.kubectl(...rollout);
      const before = await waitForReadyPods(cluster, namespace, 10, 'app=web');
      const addresses = new Set(before.map((pod) => pod.status?.podIP));
      assert.equal(addresses.size, 10, 'each pod has an address of its own');
      await cluster.kubectl('-n', namespace, 'set', 'env', 'deployment/web', 'VERSION=2');
      await cluster.kubectl(...rollout);
      const after = await waitForReadyPods(cluster, namespace, 10, 'app=web');
      const old = new Set(before.map((pod) => pod.metadata.uid));
      assert.ok(after.every((pod) => !old.has(pod.metadata.uid)));
      assert.deepEqual(
        new Set(
          after.map((pod) => pod.spec.containers[0]?.env?.find(({ name }) => name === 'VERSION')?.value),
        ),
        new Set(['2']),
      );
    }));

  it('runs a DaemonSet, a Job and a StatefulSet', () =>
    withCluster(async (cluster, namespace) => {
      const template = podTemplate('job', {
        restartPolicy: 'Never',
        containers: [container('main', ['sh', '-c', 'echo done'])],
      });
      await cluster.apply(
        namespace,
        workload('DaemonSet', 'agent'),
        workload('StatefulSet', 'db', { serviceName: 'db', replicas: 3 }),
        {
          apiVersion: 'batch/v1',
          kind: 'Job',
          metadata: { name: 'job' },
          spec: { completions: 4, parallelism: 2, template },
        },
      );
      const wait = ['-n', namespace, 'rollout', 'status', '--timeout=120s'];
      await cluster.kubectl(...wait, 'daemonset/agent');
      await cluster.kubectl(...wait, 'statefulset/db');
      await cluster.kubectl('-n', namespace, 'wait', '--for=condition=complete', 'job/job', '--timeout=120s');
      const finished = await cluster.pods(namespace, 'app=job');
      assert.deepEqual(
        finished.map((pod) => pod.status?.phase),
        ['Succeeded', 'Succeeded', 'Succeeded', 'Succeeded'],
      );
      const [first] = await cluster.pods(namespace, 'statefulset.kubernetes.io/pod-name=db-0');
      await cluster.kubectl('-n', namespace, 'delete', 'pod', 'db-0');
      await waitFor('another db-0', async () => {
        const [pod] = await cluster.pods(namespace, 'statefulset.kubernetes.io/pod-name=db-0');
        return pod !== undefined && pod.metadata.uid !== first?.metadata.uid && isReady(pod);
      });
    }));

  it('runs pods of every QoS class', () =>
    withCluster(async (cluster, namespace) => {
      const limits = { cpu: '50m', memory: '32Mi' };
      const resources = {
        guaranteed: { limits, requests: limits },
        burstable: { requests: { cpu: '10m' } },
        besteffort: {},
      };
      const pods = Object.entries(resources).map(([name, each]) =>
        sleeper(name, { fields: { resources: each } }),
      );
      await cluster.apply(namespace, ...pods);
      const ready = await waitForReadyPods(cluster, namespace, 3);
      assert.deepEqual(
        Object.fromEntries(ready.map(({ metadata, status }) => [metadata.name, status?.qosClass])),
        { guaranteed: 'Guaranteed', burstable: 'Burstable', besteffort: 'BestEffort' },
      );
    }));

  it('is cordoned, drained and taken back', () =>
    withCluster(async (cluster, namespace) => {
      const { kubectl, nodeName } = cluster;
      const app = `drained-${namespace}`;
      await cluster.apply(
        namespace,
        workload('Deployment', app, { replicas: 3 }),
        workload('DaemonSet', 'stays'),
      );
      const before = await waitForReadyPods(cluster, namespace, 3, `app=${app}`);
      const [daemon] = await waitForReadyPods(cluster, namespace, 1, 'app=stays');
      await kubectl('cordon', nodeName);
      try {
        // Only ours: the cluster may have other pods.
        await kubectl('drain', nodeName, `--pod-selector=app=${app}`, '--timeout=120s');
        const gone = new Set(before.map((pod) => pod.metadata.uid));
        const left = await waitFor('the pods that replace them', async () => {
          const pods = await cluster.pods(namespace, `app=${app}`);
          assert.ok(pods.every((pod) => !gone.has(pod.metadata.uid)));
          return pods.length === 3 && pods;
        });
        assert.deepEqual(
          left.map((pod) => [pod.status?.phase, pod.spec.nodeName]),
          Array(3).fill(['Pending', undefined]),
          'they have no node to go to',
        );
        const [still] = await cluster.pods(namespace, 'app=stays');
        assert.equal(still?.metadata.uid, daemon?.metadata.uid);
      } finally {
        await kubectl('uncordon', nodeName);
      }
      await waitForReadyPods(cluster, namespace, 3, `app=${app}`);
    }));
});
