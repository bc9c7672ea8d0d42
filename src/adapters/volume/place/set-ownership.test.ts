import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { NEEDS_MOUNTS } from '../../../../test/fakes/mount-right.ts';
import { makeDeepTree } from '../../../../test/samples/sample-trees.ts';
import type { Ownership } from '../../../core/volume/ownership.ts';
import { removeTree } from '../../linux/files/remove-tree.ts';
import { setOwnership } from './set-ownership.ts';

const isRoot = process.getuid?.() === 0;
/** Every user may give files to the own group; only root to another. */
const fsGroup = isRoot ? 4321 : (process.getgid?.() ?? 0);
let base: string;
let volume: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'ownership-'));
  volume = join(base, 'volume');
  await mkdir(join(volume, 'sub'), { recursive: true });
  await writeFile(join(volume, 'sub', 'file'), '');
  await writeFile(join(base, 'outside'), '');
  await symlink('../outside', join(volume, 'link'));
  for (const path of [volume, join(volume, 'sub')]) await chmod(path, 0o700);
  for (const path of [join(volume, 'sub', 'file'), join(base, 'outside')]) await chmod(path, 0o600);
});
afterEach(() => rm(base, { recursive: true }));

const own = (more: Partial<Ownership> = {}): Promise<void> =>
  setOwnership(volume, { fsGroup, readOnly: false, policy: 'Always', ...more });

async function seen(path: string): Promise<[mode: number, gid: number]> {
  const { mode, gid } = await stat(path);
  return [mode & 0o7777, gid];
}

describe('setOwnership', () => {
  it('opens files and directories to the group, which new files inherit', async () => {
    await own();
    assert.deepEqual(await seen(volume), [0o2770, fsGroup]);
    assert.deepEqual(await seen(join(volume, 'sub')), [0o2770, fsGroup]);
    assert.deepEqual(await seen(join(volume, 'sub', 'file')), [0o660, fsGroup]);
  });

  it('gives a read-only volume read access only', async () => {
    await own({ readOnly: true });
    assert.deepEqual(await seen(join(volume, 'sub')), [0o2750, fsGroup]);
    assert.deepEqual(await seen(join(volume, 'sub', 'file')), [0o640, fsGroup]);
  });

  it('changes a link but not what it leads to', async () => {
    await own();
    assert.equal((await lstat(join(volume, 'link'))).gid, fsGroup);
    const [mode, gid] = await seen(join(base, 'outside'));
    assert.equal(mode, 0o600);
    if (isRoot) assert.notEqual(gid, fsGroup);
  });

  it('leaves alone what else is mounted in the volume, be it of the same disk', NEEDS_MOUNTS, async () => {
    const [other, inside] = [join(base, 'other'), join(volume, 'sub', 'mounted')];
    const bound = join(volume, 'bound');
    for (const path of [other, inside]) await mkdir(path, { mode: 0o700 });
    for (const path of [join(other, 'file'), bound]) await writeFile(path, '', { mode: 0o600 });
    execFileSync('mount', ['--bind', other, inside]);
    execFileSync('mount', ['--bind', join(base, 'outside'), bound]);
    try {
      await own();
    } finally {
      for (const path of [inside, bound]) execFileSync('umount', [path]);
    }
    for (const path of [other, join(other, 'file'), join(base, 'outside')]) {
      const [mode, gid] = await seen(path);
      assert.deepEqual([mode & 0o070, gid === fsGroup], [0, false], path);
    }
    assert.deepEqual(await seen(join(volume, 'sub', 'file')), [0o660, fsGroup]);
  });

  it('does not walk a volume whose root matches, where the policy says so', async () => {
    await own();
    await chmod(join(volume, 'sub', 'file'), 0o600);
    await own({ policy: 'OnRootMismatch' });
    assert.equal((await seen(join(volume, 'sub', 'file')))[0], 0o600);
    await chmod(volume, 0o700);
    await own({ policy: 'OnRootMismatch' });
    assert.equal((await seen(join(volume, 'sub', 'file')))[0], 0o660);
  });

  it('refuses a link in place of the volume', async () => {
    await symlink('volume', join(base, 'alias'));
    await assert.rejects(
      setOwnership(join(base, 'alias'), { fsGroup, readOnly: false, policy: 'Always' }),
      /^AgentError: cannot set the group of/,
    );
  });

  it('refuses directories nested without end, and gives names that are not text their group', async () => {
    const odd = Buffer.concat([Buffer.from(`${volume}/`), Buffer.from([0xff])]);
    await writeFile(odd, '');
    await own();
    assert.equal((await stat(odd)).gid, fsGroup);
    makeDeepTree(join(volume, 'deep'), 1010);
    await assert.rejects(own(), { code: 'failed-precondition' });
    await removeTree(join(volume, 'deep'));
  });
});
