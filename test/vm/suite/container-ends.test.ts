/** How a container ends on cgroup v2: all of its processes at once, by lack of memory or by cgroup.kill. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { cgroupDirectory, containerCgroup, IS_UNIFIED } from '../../integration/cgroup-paths.ts';
import { containerStatus, withNode } from '../../integration/node.ts';
import { container, samplePod } from '../../integration/sample-pods.ts';

const SLEEP = ['/bin/tini', '--', 'sleep', 'infinity'];

describe('the end of a container on cgroup v2', { skip: !IS_UNIFIED && 'this machine has cgroup v1' }, () => {
  it('by lack of memory takes all of its processes and is reported as OOMKilled', () =>
    withNode({}, async (node) => {
      // The shell would live on if only the process that took the memory were killed.
      const command = ['sh', '-c', 'tail /dev/zero; sleep 1000'];
      const manifest = samplePod('greedy', {
        restartPolicy: 'Never',
        containers: [container('main', command, { resources: { limits: { memory: '24Mi' } } })],
      });
      await node.writeManifest('greedy.json', manifest);
      const pod = await node.waitFor(
        'the pod to end',
        async () => {
          const found = await node.pod('greedy');
          return found?.status.phase === 'Failed' ? found : undefined;
        },
        60_000,
      );
      const { terminated } = containerStatus(pod, 'main').state ?? {};
      assert.deepEqual([terminated?.reason, terminated?.exitCode], ['OOMKilled', 137]);
    }));

  it('by cgroup.kill is seen and mended', () =>
    withNode({}, async (node) => {
      await node.writeManifest(
        'mended.json',
        samplePod('mended', { containers: [container('main', SLEEP)] }),
      );
      const before = await node.waitReady('mended');
      const path = `besteffort/pod${before.metadata.uid}`;
      const id = (containerStatus(before, 'main').containerID ?? '').replace('containerd://', '');
      await writeFile(join(cgroupDirectory(node, '', path), containerCgroup(id), 'cgroup.kill'), '1');
      const after = await node.waitFor(
        'the next instance',
        async () => {
          const pod = await node.pod('mended');
          return pod !== undefined && containerStatus(pod, 'main').restartCount === 1 ? pod : undefined;
        },
        60_000,
      );
      const { terminated } = containerStatus(after, 'main').lastState ?? {};
      assert.deepEqual([terminated?.reason, terminated?.exitCode], ['Error', 137]);
    }));
});
