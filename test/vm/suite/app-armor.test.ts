/** AppArmor on a kernel that has it: the runtime's profile, one of the node's own, and one that is not loaded. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { lastWords, reportingContainer, waitEnded } from '../../integration/ended-pods.ts';
import { containerStatus, withNode } from '../../integration/node.ts';
import { container, samplePod } from '../../integration/sample-pods.ts';

const run = promisify(execFile);
const HAS_APP_ARMOR = existsSync('/sys/kernel/security/apparmor');
const PROFILE = `profile kubelet-no-write flags=(attach_disconnected) {
  file,
  network,
  capability,
  signal,
  deny /tmp/** w,
}
`;

describe('AppArmor', { skip: !HAS_APP_ARMOR && 'this kernel has none' }, () => {
  it('confines a container by the profile it asks for, and a missing one is reported', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'apparmor-'));
    const file = join(directory, 'profile');
    await writeFile(file, PROFILE);
    await run('apparmor_parser', ['--replace', file]);
    try {
      await withNode({}, async (node) => {
        const say =
          "cat /proc/self/attr/current; touch /tmp/x 2>/dev/null && echo wrote || echo 'wrote nothing'";
        const asking = (name: string, appArmorProfile: object): Promise<number> =>
          node.writeManifest(
            `${name}.json`,
            samplePod(name, {
              restartPolicy: 'Never',
              containers: [{ ...reportingContainer('main', say), securityContext: { appArmorProfile } }],
            }),
          );
        await asking('usual', { type: 'RuntimeDefault' });
        await asking('free', { type: 'Unconfined' });
        await asking('own', { type: 'Localhost', localhostProfile: 'kubelet-no-write' });
        const said = async (name: string): Promise<string> =>
          lastWords(await waitEnded(node, name), 'main').trim();
        assert.equal(await said('usual'), 'cri-containerd.apparmor.d (enforce)\nwrote');
        assert.equal(await said('free'), 'unconfined\nwrote');
        assert.equal(await said('own'), 'kubelet-no-write (enforce)\nwrote nothing');

        const securityContext = { appArmorProfile: { type: 'Localhost', localhostProfile: 'not-there' } };
        const main = container('main', ['sleep', '1'], { securityContext });
        await node.writeManifest('missing.json', samplePod('missing', { containers: [main] }));
        await node.waitFor(
          'the missing profile to be reported',
          async () => {
            const pod = await node.pod('missing');
            const { waiting } = (pod && containerStatus(pod, 'main').state) ?? {};
            return waiting?.reason === 'CreateContainerError' && /not-there/.test(waiting.message ?? '');
          },
          60_000,
        );
      });
    } finally {
      await run('apparmor_parser', ['--remove', file]);
      await rm(directory, { recursive: true });
    }
  });
});
