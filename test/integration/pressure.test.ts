/**
 * Pressure for real, in bounded places: a small disk, a limited memory cgroup,
 * a number of processes. The pod that causes it goes, with the words of the
 * upstream kubelet; the condition comes and ends; nothing else dies.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { parseMeminfo } from '../../src/adapters/linux/machine/parse-proc.ts';
import { type ClusterNode, withClusterNode } from './cluster-node.ts';
import { makeLoopDisk } from './loop-disk.ts';
import { container, type SamplePod, samplePod, sleepingPod } from './sample-pods.ts';

const MIB = 1024 ** 2;
const DISK_BYTES = 128 * MIB;
/** Long enough to be seen, short enough to wait for. */
const TRANSITION = '3s';
const WAIT = "trap 'exit 0' TERM; sleep 3600 & wait $!";

/** A pod that uses up something and then waits; `volume` is mounted at /data. */
function greedyPod(name: string, script: string, volume: object = {}): SamplePod {
  const main = container('main', ['sh', '-c', `${script}; ${WAIT}`], {
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
  });
  return samplePod(name, { containers: [main], volumes: [{ name: 'data', emptyDir: volume }] });
}

/** The greedy pod is evicted with this message, the other one goes on, and the condition comes and goes. */
async function expectEviction(cluster: ClusterNode, condition: string, message: RegExp): Promise<void> {
  const evicted = await cluster.waitForPod('greedy', 'evicted', ({ phase }) => phase === 'Failed');
  assert.equal(evicted.reason, 'Evicted');
  assert.match(evicted.message ?? '', message);
  const disruption = evicted.conditions?.find(({ type }) => type === 'DisruptionTarget');
  assert.deepEqual(
    [disruption?.status, disruption?.reason, disruption?.message],
    ['True', 'TerminationByKubelet', evicted.message],
  );
  assert.deepEqual(
    cluster.node.logs.filter(({ msg }) => msg === 'evicting a pod').map(({ pod }) => pod),
    ['default/greedy'],
  );
  await cluster.waitForCondition(condition, 'False');
}

/** Nothing was restarted or ended beside the evicted pod. */
async function expectUntouched(cluster: ClusterNode, before: string | undefined): Promise<void> {
  const { containerStatuses = [] } = await cluster.waitRunning('modest');
  assert.deepEqual([containerStatuses[0]?.containerID, containerStatuses[0]?.restartCount], [before, 0]);
}

/** Runs the modest pod, then the greedy one, and judges what became of them. */
async function playOut(
  cluster: ClusterNode,
  greedy: SamplePod,
  expected: { readonly condition: string; readonly message: RegExp },
): Promise<void> {
  cluster.createPod(sleepingPod('modest'));
  const { containerStatuses } = await cluster.waitRunning('modest');
  const before = containerStatuses?.[0]?.containerID;
  const raised = cluster.waitForCondition(expected.condition, 'True');
  cluster.createPod(greedy);
  await raised;
  await expectEviction(cluster, expected.condition, expected.message);
  await expectUntouched(cluster, before);
}

describe('a node under pressure', () => {
  it('evicts the pod that fills the disk of the kubelet', async () => {
    await using disk = await makeLoopDisk({ bytes: DISK_BYTES });
    const config = {
      evictionHard: { 'nodefs.available': '64Mi' },
      evictionPressureTransitionPeriod: TRANSITION,
    };
    await withClusterNode({ config, dataDirectory: disk.path }, (cluster) =>
      playOut(cluster, greedyPod('greedy', `head -c ${80 * MIB} /dev/zero >/data/file`), {
        condition: 'DiskPressure',
        message:
          /^The node was low on resource: ephemeral-storage\. Threshold quantity: 64Mi, available: \d+Ki\. (Container main was using \d+Ki?, request is 0, has larger consumption of ephemeral-storage\. )?$/,
      }),
    );
  });

  it('evicts the pod that uses up the inodes', async () => {
    await using disk = await makeLoopDisk({ bytes: DISK_BYTES, inodes: 2048 });
    const config = {
      evictionHard: { 'nodefs.inodesFree': '800' },
      evictionPressureTransitionPeriod: TRANSITION,
    };
    const script = 'i=0; while [ $i -lt 1300 ]; do : >/data/$i; i=$((i+1)); done';
    await withClusterNode({ config, dataDirectory: disk.path }, (cluster) =>
      playOut(cluster, greedyPod('greedy', script), {
        condition: 'DiskPressure',
        message: /^The node was low on resource: inodes\. Threshold quantity: 800, available: \d+\. $/,
      }),
    );
  });

  it('evicts the pod that brings all pods near the limit of their cgroup', async () => {
    const { memoryBytes } = parseMeminfo(await readFile('/proc/meminfo', 'utf8'));
    const config = {
      systemReserved: { memory: String(memoryBytes - 300 * MIB) },
      enforceNodeAllocatable: ['pods'],
      evictionHard: { 'memory.available': '100Mi' },
      evictionPressureTransitionPeriod: TRANSITION,
    };
    const script = `head -c ${220 * MIB} /dev/zero >/data/file`;
    await withClusterNode({ config }, (cluster) =>
      playOut(cluster, greedyPod('greedy', script, { medium: 'Memory' }), {
        condition: 'MemoryPressure',
        message:
          /^The node was low on resource: memory\. Threshold quantity: 100Mi, available: \d+Ki\. Container main was using \d+Ki, request is 0, has larger consumption of memory\. $/,
      }),
    );
  });
});
