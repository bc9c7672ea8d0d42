/** How a container ends on cgroup v2: all of its processes at once when memory is short. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { IS_UNIFIED } from '../../integration/cgroup-paths.ts';
import { containerStatus, withNode } from '../../integration/node.ts';
import { container, samplePod } from '../../integration/sample-pods.ts';

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
});
