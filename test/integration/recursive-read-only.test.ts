/**
 * Mounts that are read-only all the way down, on real containerd: a mount
 * below a volume's directory is open to a container unless it asked for that.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { ListedPod } from '../../scripts/demo/kubelet-process.ts';
import { lastWords, reportingContainer, waitEnded } from './ended-pods.ts';
import { containerdEndpoint, containerStatus, withNode } from './node.ts';
import { type Ability, isAble } from './runtime-abilities.ts';
import { samplePod } from './sample-pods.ts';

const run = promisify(execFile);

/** Runs `body` with a directory of the host that has a mount below it, at `deep`. */
async function withMountBelow(body: (path: string) => Promise<void>): Promise<void> {
  const path = await mkdtemp(join(tmpdir(), 'kubelet-host-'));
  await mkdir(join(path, 'deep'));
  await run('mount', ['-t', 'tmpfs', '-o', 'mode=1777', 'none', join(path, 'deep')]);
  try {
    await body(path);
  } finally {
    await run('umount', [join(path, 'deep')]);
    await rm(path, { recursive: true });
  }
}

/** Tries to write below each mount; `modes` is by the directory it is mounted on. */
function triesToWrite(
  name: string,
  path: string,
  modes: Readonly<Record<string, string | undefined>>,
  spec: Readonly<Record<string, unknown>> = {},
) {
  const attempts = Object.keys(modes).map(
    (place) =>
      `touch /${place}/x 2>/dev/null || echo fixed ${place}; touch /${place}/deep/x && echo open ${place}`,
  );
  return samplePod(name, {
    restartPolicy: 'Never',
    ...spec,
    containers: [
      reportingContainer('main', attempts.join('; '), {
        volumeMounts: Object.entries(modes).map(([place, recursiveReadOnly]) => ({
          name: 'v',
          mountPath: `/${place}`,
          readOnly: true,
          ...(recursiveReadOnly === undefined ? {} : { recursiveReadOnly }),
        })),
      }),
    ],
    volumes: [{ name: 'v', hostPath: { path, type: 'Directory' } }],
  });
}

function publishedModes(pod: ListedPod): (string | undefined)[] {
  const mounts = containerStatus(pod, 'main').volumeMounts ?? [];
  return mounts.map(({ recursiveReadOnly }) => recursiveReadOnly);
}

const MODES = { plain: undefined, off: 'Disabled', can: 'IfPossible', must: 'Enabled' };

describe('a read-only mount', () => {
  const kinds: [name: string, abilities: Ability[], spec: Readonly<Record<string, unknown>>][] = [
    ['the users of the node', ['recursiveReadOnlyMounts'], {}],
    ['users of its own', ['recursiveReadOnlyMounts', 'userNamespaces'], { hostUsers: false }],
  ];
  for (const [kind, abilities, spec] of kinds)
    it(`is so to its depths when a pod with ${kind} asks for that`, (t) =>
      withMountBelow((path) =>
        withNode({}, async (node) => {
          for (const ability of abilities) if (!(await isAble(t, node, ability))) return;
          await node.writeManifest('deep.yaml', triesToWrite('deep', path, MODES, spec));
          const pod = await waitEnded(node, 'deep');
          assert.deepEqual(lastWords(pod).split('\n'), [
            'fixed plain',
            'open plain',
            'fixed off',
            'open off',
            'fixed can',
            'touch: /can/deep/x: Read-only file system',
            'fixed must',
            'touch: /must/deep/x: Read-only file system',
          ]);
          assert.deepEqual(publishedModes(pod), ['Disabled', 'Disabled', 'Enabled', 'Enabled']);
        }),
      ));

  it('stays open below, or is refused, where the runtime cannot', () =>
    withMountBelow((path) =>
      withNode({ endpoint: containerdEndpoint('1.6') }, async (node) => {
        await node.writeManifest('can.yaml', triesToWrite('can', path, { can: 'IfPossible' }));
        await node.writeManifest('must.yaml', triesToWrite('must', path, { must: 'Enabled' }));
        const can = await waitEnded(node, 'can');
        assert.equal(lastWords(can), 'fixed can\nopen can');
        assert.deepEqual(publishedModes(can), ['Disabled']);
        const waiting = await node.waitFor(
          'the refusal',
          async () => {
            const pod = await node.pod('must');
            const state = pod && containerStatus(pod, 'main').state.waiting;
            return state?.reason === 'CreateContainerConfigError' && state;
          },
          40_000,
        );
        assert.equal(
          waiting.message,
          'failed to resolve recursive read-only mode: volume "v" requested recursive read-only mode, but it is not supported by the runtime',
        );
      }),
    ));
});
