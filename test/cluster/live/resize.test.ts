/** Pods get other resources while they run: in place, with a restart where they want one, and when there is room. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Pod, ResourceRequirements } from '../../../src/core/api/pod.ts';
import type { PodCondition } from '../../../src/core/api/pod-status.ts';
import { parseQuantity, quantityToMilli } from '../../../src/core/api/quantity.ts';
import { type Cluster, NEEDS_CLUSTER, waitFor, waitForReadyPods, withCluster } from './cluster.ts';
import { Daemon } from './daemon.ts';
import { sleeper } from './sample-objects.ts';

const MI = 1024 * 1024;
const SMALL = need('100m', '200m', '32Mi', '64Mi');
const BIG = need('150m', '300m', '48Mi', '96Mi');

function need(cpu: string, cpuLimit: string, memory: string, memoryLimit: string): ResourceRequirements {
  return { requests: { cpu, memory }, limits: { cpu: cpuLimit, memory: memoryLimit } };
}

describe('the resources of a running pod', NEEDS_CLUSTER, () => {
  it('grow and shrink in place, in the cgroups of container and pod and in the status', () =>
    withCluster(async (cluster, namespace) => {
      const { pod } = await start(cluster, namespace, 'web', { resources: SMALL });
      await resize(cluster, namespace, 'web', BIG);
      const grown = await waitForResources(cluster, namespace, 'web', BIG);
      assert.equal(idOf(grown), idOf(pod));
      assert.equal(grown.status?.observedGeneration, grown.metadata.generation);
      assert.deepEqual(await readLimits(pod.metadata.uid), { pod: [96, 300], container: [96, 300] });
      await resize(cluster, namespace, 'web', SMALL);
      const shrunk = await waitForResources(cluster, namespace, 'web', SMALL);
      assert.equal(idOf(shrunk), idOf(pod));
      assert.deepEqual(await readLimits(pod.metadata.uid), { pod: [64, 200], container: [64, 200] });
      const reasons = await waitFor('the events of both resizes', async () => {
        const reasons = await readEvents(cluster, namespace, 'web');
        return reasons.length === 4 && reasons;
      });
      assert.deepEqual(reasons.sort(), [
        'ResizeCompleted',
        'ResizeCompleted',
        'ResizeStarted',
        'ResizeStarted',
      ]);
    }));

  it('restart the container for memory where its policy says so, and not for cpu', () =>
    withCluster(async (cluster, namespace) => {
      const resizePolicy = [
        { resourceName: 'cpu', restartPolicy: 'NotRequired' },
        { resourceName: 'memory', restartPolicy: 'RestartContainer' },
      ];
      const { pod } = await start(cluster, namespace, 'web', { resources: SMALL, resizePolicy });
      const faster = need('150m', '300m', '32Mi', '64Mi');
      await resize(cluster, namespace, 'web', faster);
      assert.equal(idOf(await waitForResources(cluster, namespace, 'web', faster)), idOf(pod));
      await resize(cluster, namespace, 'web', BIG);
      const restarted = await waitForResources(cluster, namespace, 'web', BIG);
      assert.notEqual(idOf(restarted), idOf(pod));
      assert.equal(restarted.status?.containerStatuses?.[0]?.restartCount, 1);
      assert.deepEqual(await readLimits(pod.metadata.uid), { pod: [96, 300], container: [96, 300] });
    }));

  it('wait for room, also over a kill of the kubelet, and come at once when another pod goes', (t) =>
    withCluster(async (cluster, namespace) => {
      const free = quantityToMilli(parseQuantity((await cluster.node()).status?.allocatable?.['cpu'] ?? '0'));
      const filling = { requests: { cpu: `${free - 400}m` } };
      await start(cluster, namespace, 'blocker', { resources: filling });
      const { pod } = await start(cluster, namespace, 'web', { resources: SMALL });
      const wanted = need('500m', '600m', '32Mi', '64Mi');
      await resize(cluster, namespace, 'web', wanted);
      const pending = await waitFor('a resize that waits', async () =>
        findCondition(await read(cluster, namespace, 'web'), 'PodResizePending'),
      );
      assert.equal(pending.reason, 'Deferred');
      assert.match(
        pending.message ?? '',
        /^Node didn't have enough resource: cpu, requested: 500, used: \d+, /,
      );
      assert.equal(pending.observedGeneration, 2);
      const kubelet = Daemon.find('kubelet-cluster');
      await kubelet.kill();
      kubelet.start();
      const waiting = await read(cluster, namespace, 'web');
      assert.equal(waiting.status?.containerStatuses?.[0]?.allocatedResources?.['cpu'], '100m');
      await cluster.kubectl('-n', namespace, 'delete', 'pod', 'blocker', '--timeout=60s');
      const deletedAtMs = Date.now();
      const granted = await waitForResources(cluster, namespace, 'web', wanted);
      t.diagnostic(`in force ${Date.now() - deletedAtMs} ms after the other pod was gone`);
      assert.equal(idOf(granted), idOf(pod));
    }));

  it('do not shrink below the memory in use; the status says why', () =>
    withCluster(async (cluster, namespace) => {
      const fill = [
        'sh',
        '-c',
        'dd if=/dev/zero of=/dev/shm/fill bs=1M count=40 && exec /bin/tini -- sleep infinity',
      ];
      const { pod } = await start(cluster, namespace, 'web', { resources: BIG, command: fill });
      await waitFor('memory in use', async () => (await readUsage(pod.metadata.uid)) > 40 * MI);
      await resize(cluster, namespace, 'web', need('150m', '300m', '16Mi', '24Mi'));
      const stuck = await waitFor('a resize that fails', async () => {
        const condition = findCondition(await read(cluster, namespace, 'web'), 'PodResizeInProgress');
        return condition?.reason === 'Error' && condition;
      });
      assert.match(
        stuck.message ?? '',
        /^cannot decrease memory limits: .*attempting to set container "main"/,
      );
      assert.deepEqual((await readLimits(pod.metadata.uid)).container, [96, 300]);
      await resize(cluster, namespace, 'web', BIG);
      const back = await waitForResources(cluster, namespace, 'web', BIG);
      assert.equal(idOf(back), idOf(pod));
    }));
});

async function start(
  cluster: Cluster,
  namespace: string,
  name: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<{ pod: Pod }> {
  await cluster.apply(namespace, sleeper(name, { fields }));
  const [pod] = await waitForReadyPods(cluster, namespace, 1, `app=${name}`);
  assert.ok(pod);
  return { pod };
}

async function resize(
  { kubectl }: Cluster,
  namespace: string,
  name: string,
  resources: ResourceRequirements,
): Promise<void> {
  const patch = JSON.stringify({ spec: { containers: [{ name: 'main', resources }] } });
  await kubectl('-n', namespace, 'patch', 'pod', name, '--subresource=resize', '-p', patch);
}

async function read(cluster: Cluster, namespace: string, name: string): Promise<Pod> {
  const [pod] = await cluster.pods(namespace, `app=${name}`);
  assert.ok(pod);
  return pod;
}

/** The pod once the status has these resources and nothing of a resize is left to do. */
function waitForResources(
  cluster: Cluster,
  namespace: string,
  name: string,
  resources: ResourceRequirements,
): Promise<Pod> {
  return waitFor(`the new resources of "${name}"`, async () => {
    const pod = await read(cluster, namespace, name);
    const status = pod.status?.containerStatuses?.[0];
    const isThere =
      status?.state.running !== undefined &&
      isSame(status.resources, resources) &&
      isSame({ requests: status.allocatedResources ?? {} }, { requests: resources.requests ?? {} });
    const isDone = !pod.status?.conditions?.some(({ type }) => type.startsWith('PodResize'));
    return isThere && isDone && pod;
  });
}

function isSame(a: ResourceRequirements | undefined, b: ResourceRequirements): boolean {
  const toText = ({ requests = {}, limits = {} }: ResourceRequirements): string =>
    JSON.stringify([requests, limits].map((list) => Object.entries(list).sort()));
  return a !== undefined && toText(a) === toText(b);
}

function findCondition(pod: Pod, wanted: string): PodCondition | undefined {
  return pod.status?.conditions?.find(({ type }) => type === wanted);
}

function idOf(pod: Pod): string | undefined {
  return pod.status?.containerStatuses?.[0]?.containerID;
}

async function readEvents({ kubectl }: Cluster, namespace: string, name: string): Promise<string[]> {
  const fields = ['-o', 'jsonpath={range .items[*]}{.reason}{"\\n"}{end}'];
  const text = await kubectl(
    '-n',
    namespace,
    'get',
    'events',
    '--field-selector',
    `involvedObject.name=${name}`,
    ...fields,
  );
  return text.split('\n').filter((reason) => reason.startsWith('Resize'));
}

/** Memory in MiB and cpu in millicores that the pod and its main container may use, from their cgroups. */
async function readLimits(uid: string): Promise<{ pod: number[]; container: number[] }> {
  const [memory, cpu] = await Promise.all([findCgroup('memory', uid), findCgroup('cpu', uid)]);
  const limits = async (child: string): Promise<number[]> => [
    (await readFirst(join(memory, child), ['memory.max', 'memory.limit_in_bytes'])) / MI,
    (await readFirst(join(cpu, child), ['cpu.max', 'cpu.cfs_quota_us'])) / 100,
  ];
  const children = await listDirectories(cpu);
  const all = await Promise.all(children.map(limits));
  // The sandbox has a cgroup beside that of the container, without limits.
  const container = all.find((one) => one.every((value) => value > 0 && value < 100_000)) ?? [];
  return { pod: await limits('.'), container };
}

async function readUsage(uid: string): Promise<number> {
  return readFirst(await findCgroup('memory', uid), ['memory.current', 'memory.usage_in_bytes']);
}

async function readFirst(directory: string, names: readonly string[]): Promise<number> {
  for (const name of names) {
    const text = await readFile(join(directory, name), 'utf8').catch(() => undefined);
    if (text !== undefined) return Number.parseInt(text, 10);
  }
  return Number.NaN;
}

/** The cgroup of a pod, wherever its root is: of one controller in version 1, of all in version 2. */
async function findCgroup(controller: string, uid: string): Promise<string> {
  const root = (await listDirectories('/sys/fs/cgroup')).includes(controller)
    ? `/sys/fs/cgroup/${controller}`
    : '/sys/fs/cgroup';
  const search = async (directory: string, depth: number): Promise<string | undefined> => {
    for (const name of await listDirectories(directory)) {
      const path = join(directory, name);
      if (name.includes(uid) || name.includes(uid.replaceAll('-', '_'))) return path;
      const below = depth > 0 ? await search(path, depth - 1) : undefined;
      if (below !== undefined) return below;
    }
    return undefined;
  };
  const found = await search(root, 4);
  assert.ok(found, `the pod "${uid}" has a cgroup`);
  return found;
}

async function listDirectories(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
