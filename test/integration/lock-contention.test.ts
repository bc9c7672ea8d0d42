/** Two kubelets with one lock file: the first makes way for the second, and its pods do not notice. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { holdLockFile } from '../../src/adapters/linux/files/lock-file.ts';
import { containerStatus, withNode } from './node.ts';
import { container, samplePod } from './sample-pods.ts';

describe('--exit-on-lock-contention', () => {
  it('ends the kubelet with 0 when another process wants the lock, and pods run on', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'lock-'));
    const path = join(directory, 'lock');
    const flags = [`--lock-file=${path}`, '--exit-on-lock-contention'];
    try {
      await withNode({ flags }, async (node) => {
        const main = container('main', ['/bin/tini', '--', 'sleep', 'infinity']);
        await node.writeManifest('pod.json', samplePod('pod', { containers: [main] }));
        const first = containerStatus(await node.waitReady('pod'), 'main').containerID;
        const other = holdLockFile(path, new AbortController().signal);
        assert.deepEqual(await node.kubelet.ended, { code: 0, signal: null });
        await (await other).close();
        await node.restart();
        assert.equal(containerStatus(await node.waitReady('pod'), 'main').containerID, first);
      });
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
