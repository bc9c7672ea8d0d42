/**
 * Pressure for real, in bounded places: a small disk, a limited memory cgroup,
 * a number of processes. The pod that causes it goes, with the words of the
 * upstream kubelet; the condition comes and ends; nothing else dies.
 */
import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseMeminfo } from '../../src/adapters/linux/machine/parse-proc.ts';
import { type ClusterNode, withClusterNode } from './cluster-node.ts';
import { fillDisk, makeLoopDisk } from './loop-disk.ts';
import { isReady } from './node.ts';
import { container, type SamplePod, samplePod, scriptPod, sleepingPod } from './sample-pods.ts';

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

  it('evicts the pod with the most processes', async () => {
    // Of the whole machine, so that the number of others must not matter: far more than they vary by.
    const [processes, spare] = [2500, 1500];
    const threshold = (await readFreeProcesses()) - spare;
    const config = {
      evictionHard: { 'pid.available': String(threshold) },
      evictionPressureTransitionPeriod: TRANSITION,
      podPidsLimit: 2 * processes,
    };
    const script = `i=0; while [ $i -lt ${processes} ]; do sleep 3600 & i=$((i+1)); done`;
    await withClusterNode({ config }, (cluster) =>
      playOut(cluster, greedyPod('greedy', script), {
        condition: 'PIDPressure',
        message: new RegExp(
          `^The node was low on resource: pids\\. Threshold quantity: ${threshold}, available: \\d+\\. $`,
        ),
      }),
    );
  });

  it('goes on when its disk is full to the last byte, and frees it', async () => {
    await using disk = await makeLoopDisk({ bytes: DISK_BYTES });
    const config = {
      evictionHard: { 'nodefs.available': '8Mi' },
      evictionPressureTransitionPeriod: TRANSITION,
    };
    const chatty = "trap 'exit 0' TERM; while true; do echo tick; sleep 0.2; done";
    await withClusterNode({ config, dataDirectory: disk.path }, async (cluster) => {
      cluster.createPod(scriptPod('chatty', chatty));
      await cluster.waitRunning('chatty');
      const fill = 'cat /dev/zero >/data/file; echo full';
      await playOut(cluster, greedyPod('greedy', fill), {
        condition: 'DiskPressure',
        message:
          /^The node was low on resource: ephemeral-storage\. Threshold quantity: 8Mi, available: \d+(Ki)?\. /,
      });
      const { containerStatuses = [] } = await cluster.waitRunning('chatty');
      assert.equal(containerStatuses[0]?.restartCount, 0);
      // A pod that comes now gets all that was refused while the disk was full.
      cluster.createPod(sleepingPod('later'));
      await cluster.waitRunning('later');
      await expectAdopted(cluster, ['chatty', 'later', 'modest']);
    });
  });

  it('loses nothing while another program has filled its disk', async () => {
    await using disk = await makeLoopDisk({ bytes: DISK_BYTES });
    // Nothing that the kubelet could evict has used it.
    const config = { evictionHard: { 'nodefs.available': '0%' } };
    await withClusterNode({ config, dataDirectory: disk.path }, async (cluster) => {
      cluster.createPod(sleepingPod('modest'));
      cluster.createPod(scriptPod('crashing', 'sleep 2; exit 3', { restartPolicy: 'Always' }));
      await cluster.waitRunning('modest');
      await fillDisk(disk.path);
      cluster.createPod(sleepingPod('later'));
      await cluster.waitForPod('crashing', 'restarted', ({ containerStatuses = [] }) =>
        containerStatuses.some(({ restartCount }) => restartCount > 1),
      );
      const isWord = ({ msg }: { msg: string }): boolean => msg.startsWith('a disk of the node is full');
      await cluster.node.waitForLine('that the disk is full', isWord, 30_000);
      await rm(join(disk.path, 'filler'), { recursive: true });
      await cluster.waitRunning('later');
      await cluster.node.waitForLine(
        'that there is room',
        ({ msg }) => msg === 'the disk has room again',
        30_000,
      );
      assert.equal(cluster.node.logs.filter(isWord).length, 1, 'that the disk is full was logged once');
      await expectAdopted(cluster, ['later', 'modest']);
    });
  });
});

/** A kubelet that was killed finds these pods as they were: nothing was lost while the disk was full. */
async function expectAdopted({ node }: ClusterNode, names: readonly string[]): Promise<void> {
  const listRunning = async (): Promise<string[]> =>
    (await node.pods())
      .filter(({ status }) => isReady({ status }))
      .map(({ metadata, status }) => `${metadata.name} ${status.containerStatuses?.[0]?.containerID}`)
      .sort();
  const before = await listRunning();
  assert.deepEqual(
    before.map((line) => line.split(' ')[0]),
    names,
  );
  await node.kubelet.kill9();
  await node.startAgain();
  const isSame = async (): Promise<boolean> => (await listRunning()).join() === before.join();
  await node.waitFor('the restarted kubelet to have the same pods', isSame, 60_000);
}

async function readFreeProcesses(): Promise<number> {
  const read = async (path: string): Promise<string> => (await readFile(`/proc/${path}`, 'utf8')).trim();
  const limits = [await read('sys/kernel/pid_max'), await read('sys/kernel/threads-max')].map(Number);
  const [, tasks = ''] = (await read('loadavg')).split(' ')[3]?.split('/') ?? [];
  return Math.min(...limits) - Number(tasks);
}
