/** Image collection on real containerd: with a threshold that is always exceeded, exactly what may go does. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { importImage } from './import-image.ts';
import { containerdEndpoint, HOST_DIR, withNode } from './node.ts';
import { BUSYBOX, samplePod } from './sample-pods.ts';

const run = promisify(execFile);
const UNUSED = 'example.test/unused:1';
const USED = 'example.test/used:1';

function ctr(...args: string[]): Promise<{ stdout: string }> {
  const socket = containerdEndpoint().replace('unix://', '');
  return run(join(HOST_DIR, 'bin', 'containerd-2.1', 'ctr'), [
    '-a',
    socket,
    '-n',
    'k8s.io',
    'images',
    ...args,
  ]);
}

/** As a pull leaves it: with the digest beside the tag. */
async function importAsPulled(name: string, user: string): Promise<void> {
  await importImage(name, {
    user,
    passwd: `u${user}:x:${user}:${user}::/:/bin/sh\n`,
    group: `u${user}:x:${user}:\n`,
  });
  const { stdout } = await ctr('ls', `name==${name}`);
  const digest = /sha256:[0-9a-f]{64}/.exec(stdout)?.[0] ?? '';
  await ctr('tag', '--force', name, `${name.replace(/:.*/, '')}@${digest}`);
}

describe('image collection', () => {
  it('deletes the unused image that could be pulled again, no used and no imported one', async () => {
    // An age of 0 is the default of two minutes.
    const config = {
      imageGCHighThresholdPercent: 1,
      imageGCLowThresholdPercent: 0,
      imageMinimumGCAge: '1ms',
    };
    await importAsPulled(UNUSED, '7');
    await withNode({ config }, async (node) => {
      const { images } = node.cri;
      await importAsPulled(USED, '8');
      const command = ['/bin/sh', '-c', "trap 'exit 0' TERM; while true; do /bin/busybox sleep 1; done"];
      const containers = [{ name: 'main', image: USED, imagePullPolicy: 'Never', command }];
      await node.writeManifest('used.yaml', samplePod('used', { containers }));
      await node.waitReady('used', 40_000);
      await node.waitFor(
        'the unused image to be deleted',
        async () => ((await images.imageStatus(UNUSED)) === undefined ? true : undefined),
        90_000,
      );
      for (const kept of [USED, BUSYBOX]) assert.notEqual(await images.imageStatus(kept), undefined, kept);
      await node.waitForLine(
        'that this was not enough',
        ({ reason }) => reason === 'FreeDiskSpaceFailed',
        30_000,
      );
      await node.removeAllManifests();
      await node.waitFor('the pod to be gone', async () => (await node.pods()).length === 0, 30_000);
      await images.removeImage(USED);
    });
  });
});
