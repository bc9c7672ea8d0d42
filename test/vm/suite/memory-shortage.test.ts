/** Who dies when memory runs out: one process of a container, or, of the whole machine, those with the highest score. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { cgroupDirectory, containerCgroup, IS_UNIFIED } from '../../integration/cgroup-paths.ts';
import { type ClusterNode, withClusterNode } from '../../integration/cluster-node.ts';
import { lastWords, waitEnded } from '../../integration/ended-pods.ts';
import { withNode } from '../../integration/node.ts';
import { container, type SamplePod, samplePod } from '../../integration/sample-pods.ts';

const GUARANTEED_SCORE = -997;
const KUBELET_SCORE = -999;
/** Together more than the machine has, each part at once. */
const EAT_ALL =
  'for part in $(seq 24); do dd if=/dev/zero of=/dev/null bs=256M count=1000 & done; wait; sleep 1000';
const SLEEP = ['/bin/tini', '--', 'sleep', 'infinity'];

const scoreOf = async (pid: number | string): Promise<number> =>
  Number(await readFile(`/proc/${pid}/oom_score_adj`, 'utf8'));

function podWith(name: string, command: readonly string[], resources: object, spec: object = {}): SamplePod {
  return samplePod(name, { ...spec, containers: [container('main', command, { resources })] });
}

/** The cgroup of the one container. */
function containerDirectory(cluster: ClusterNode, tier: string, name: string, uid: string): string {
  const id = cluster.podStatus(name).containerStatuses?.[0]?.containerID ?? '';
  const pod = cgroupDirectory(cluster.node, '', `${tier}pod${uid}`);
  return join(pod, containerCgroup(id.replace('containerd://', '')));
}

async function uidOf({ node }: ClusterNode, name: string): Promise<string> {
  const found = (await node.pods()).find(({ metadata }) => metadata.name === name);
  return found?.metadata.uid ?? assert.fail(`no pod "${name}"`);
}

describe('a shortage of memory', { skip: !IS_UNIFIED && 'this machine has cgroup v1' }, () => {
  it('of a container costs it one process where that is asked for', () =>
    withNode({ config: { singleProcessOOMKill: true } }, async (node) => {
      const script = 'tail /dev/zero; echo "ended $?" >/dev/termination-log';
      await node.writeManifest(
        'single.json',
        podWith('single', ['sh', '-c', script], { limits: { memory: '24Mi' } }, { restartPolicy: 'Never' }),
      );
      const pod = await waitEnded(node, 'single');
      assert.equal(lastWords(pod), 'ended 137');
      assert.equal(pod.status.phase, 'Succeeded');
    }));

  it('of the machine costs a pod its life that asked for nothing, and no other', () =>
    withClusterNode(
      // Nothing is evicted before the kernel has to kill.
      { config: { evictionHard: { 'nodefs.available': '1%' }, podPidsLimit: 200 } },
      async (cluster) => {
        const { node } = cluster;
        const all = { cpu: '100m', memory: '64Mi' };
        cluster.createPod(podWith('kept', SLEEP, { requests: all, limits: all }));
        cluster.createPod(podWith('part', SLEEP, { requests: { memory: '32Mi' } }));
        for (const name of ['kept', 'part']) await cluster.waitRunning(name);
        const before = ['kept', 'part'].map((name) => cluster.podStatus(name).containerStatuses);
        const directory = containerDirectory(cluster, '', 'kept', await uidOf(cluster, 'kept'));
        const [first = ''] = (await readFile(join(directory, 'cgroup.procs'), 'utf8')).split('\n');
        assert.equal(await scoreOf(first), GUARANTEED_SCORE);
        assert.equal(await scoreOf(node.kubelet.pid ?? ''), KUBELET_SCORE);

        // The shell would live on if only the process that took the memory were killed.
        cluster.createPod(podWith('greedy', ['sh', '-c', EAT_ALL], {}, { restartPolicy: 'Never' }));
        const { containerStatuses } = await cluster.waitForPod(
          'greedy',
          'over',
          ({ phase }) => phase === 'Failed',
        );
        assert.equal(containerStatuses?.[0]?.state?.terminated?.exitCode, 137);
        await node.waitFor(
          'an event about the machine',
          () => node.logs.some(({ msg, reason }) => msg === 'event' && reason === 'SystemOOM'),
          60_000,
        );
        assert.deepEqual(
          ['kept', 'part'].map((name) => cluster.podStatus(name).containerStatuses),
          before,
        );
      },
    ));
});
