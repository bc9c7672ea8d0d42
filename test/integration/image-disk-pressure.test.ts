/** A runtime whose images and writable layers are on a small disk of their own: the pod that fills it goes. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { withClusterNode } from './cluster-node.ts';
import { makeLoopDisk } from './loop-disk.ts';
import { HOST_DIR } from './node.ts';
import { scriptPod, sleepingPod } from './sample-pods.ts';

const run = promisify(execFile);
const SCRIPT = join(import.meta.dirname, '..', '..', 'scripts', 'host', 'containerd.sh');
const INSTANCE = 'small-disk';
const DIRECTORY = join(HOST_DIR, 'instances', INSTANCE);
const MIB = 1024 ** 2;

/** Runs `body` with a containerd whose root is a file system of its own; nothing of it is left. */
async function withSmallRuntime(body: (endpoint: string) => Promise<void>): Promise<void> {
  await run(SCRIPT, ['down', '2.1', INSTANCE, '--purge']);
  await using _disk = await makeLoopDisk({ bytes: 256 * MIB, path: join(DIRECTORY, 'root') });
  try {
    const { stdout } = await run(SCRIPT, ['up', '2.1', INSTANCE]);
    await body(stdout.trim());
  } finally {
    await run(SCRIPT, ['down', '2.1', INSTANCE, '--purge']);
    await rm(DIRECTORY, { recursive: true, force: true });
  }
}

describe('a node whose images have a disk of their own', () => {
  it('evicts the pod that fills it, and keeps the images it could not get again', () =>
    withSmallRuntime((endpoint) => {
      const config = {
        evictionHard: { 'imagefs.available': '128Mi' },
        evictionPressureTransitionPeriod: '3s',
      };
      return withClusterNode({ endpoint, config }, async (cluster) => {
        const images = (await cluster.node.cri.images.listImages()).map(({ id }) => id).sort();
        cluster.createPod(sleepingPod('modest'));
        const { containerStatuses } = await cluster.waitRunning('modest');
        const raised = cluster.waitForCondition('DiskPressure', 'True');
        const fill = `head -c ${120 * MIB} /dev/zero >/file; trap 'exit 0' TERM; sleep 3600 & wait $!`;
        cluster.createPod(scriptPod('greedy', fill));
        await raised;
        const evicted = await cluster.waitForPod('greedy', 'evicted', ({ phase }) => phase === 'Failed');
        assert.equal(evicted.reason, 'Evicted');
        assert.match(
          evicted.message ?? '',
          /^The node was low on resource: ephemeral-storage\. Threshold quantity: 128Mi, available: \d+Ki\. Container main was using \d+Ki, request is 0, has larger consumption of ephemeral-storage\. $/,
        );
        await cluster.waitForCondition('DiskPressure', 'False');
        const after = await cluster.waitRunning('modest');
        assert.deepEqual(after.containerStatuses?.[0]?.containerID, containerStatuses?.[0]?.containerID);
        assert.deepEqual((await cluster.node.cri.images.listImages()).map(({ id }) => id).sort(), images);
      });
    }));
});
