/** CPUs of one container alone, in the kernel's own files: given, kept over a restart of the agent, and shared again. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { cgroupDirectory, IS_UNIFIED } from './cgroup-paths.ts';
import { type TestNode, withNode } from './node.ts';
import { container, samplePod } from './sample-pods.ts';

const LAST = availableParallelism() - 1;

function podWith(name: string, resources: object): object {
  const command = ['/bin/tini', '--', 'sleep', 'infinity'];
  return samplePod(name, { containers: [container('main', command, { resources })] });
}

/** A file of the cgroup that the pod's one container is in. */
async function readOfContainer(
  node: TestNode,
  podPath: string,
  id: string,
  controller: string,
  file: string,
): Promise<string> {
  const pod = cgroupDirectory(node, controller, podPath);
  const child = (await readdir(pod)).find((name) => name.includes(id)) ?? id;
  return (await readFile(join(pod, child, file), 'utf8')).trim();
}

const idOf = (pod: { status?: { containerStatuses?: readonly { containerID?: string }[] } }): string =>
  (pod.status?.containerStatuses?.[0]?.containerID ?? '').replace(/^.*:\/\//, '');

describe('CPUs of one container alone', { skip: LAST < 1 && 'the machine has one CPU' }, () => {
  it('are taken from those that others share, over a restart, and go back', () =>
    withNode({ config: { cpuManagerPolicy: 'static', reservedSystemCPUs: '0' } }, async (node) => {
      await node.writeManifest('shared.json', podWith('shared', { requests: { memory: '8Mi' } }));
      const shared = await node.waitReady('shared');
      const readShared = () =>
        readOfContainer(node, `burstable/pod${shared.metadata.uid}`, idOf(shared), 'cpuset', 'cpuset.cpus');
      assert.equal(await readShared(), `0-${LAST}`);

      const list = { cpu: String(LAST), memory: '64Mi' };
      await node.writeManifest('own.json', podWith('own', { requests: list, limits: list }));
      const own = await node.waitReady('own');
      const readOwn = (controller: string, file: string) =>
        readOfContainer(node, `pod${own.metadata.uid}`, idOf(own), controller, file);
      const ofOwn = LAST === 1 ? '1' : `1-${LAST}`;
      assert.equal(await readOwn('cpuset', 'cpuset.cpus'), ofOwn);
      const quota = await readOwn('cpu', IS_UNIFIED ? 'cpu.max' : 'cpu.cfs_quota_us');
      assert.equal(quota, IS_UNIFIED ? 'max 100000' : '-1');
      await node.waitFor(
        'the other container to leave them',
        async () => (await readShared()) === '0',
        30_000,
      );

      await node.restart();
      const after = await node.waitReady('own');
      assert.equal(idOf(after), idOf(own));
      assert.equal(await readOwn('cpuset', 'cpuset.cpus'), ofOwn);
      assert.equal(await readShared(), '0');

      await node.removeManifest('own.json');
      await node.waitFor('them to be shared again', async () => (await readShared()) === `0-${LAST}`, 60_000);
    }));
});
