import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { removeCgroupRoot } from './remove-cgroup-root.ts';

describe('removeCgroupRoot', () => {
  it('removes the cgroup of a kubelet in every hierarchy, and no other', async () => {
    const mount = await mkdtemp(join(tmpdir(), 'cgroups-'));
    const made = ['cpu/mine/kubepods/pod1', 'memory/mine', 'cpu/other'].map((path) => join(mount, path));
    for (const path of made) await mkdir(path, { recursive: true });
    await removeCgroupRoot('/mine', mount);
    assert.deepEqual(
      ['cpu/mine', 'memory/mine', 'cpu/other'].map((path) => existsSync(join(mount, path))),
      [false, false, true],
    );
    await rm(mount, { recursive: true });
  });
});
