import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { CgroupLayout } from './cgroup-layout.ts';
import { ProcessCgroups } from './process-cgroups.ts';

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'process-cgroups-'));
});
afterEach(() => rm(base, { recursive: true }));

function cgroup(path: string, pids: readonly number[] = []): void {
  mkdirSync(join(base, path), { recursive: true });
  writeFileSync(join(base, path, 'cgroup.procs'), pids.map((pid) => `${pid}\n`).join(''));
}
const membersOf = (path: string): string => readFileSync(join(base, path, 'cgroup.procs'), 'utf8');

describe('ProcessCgroups', () => {
  it('moves a process in every tree of version 1, and in the one of version 2', async () => {
    for (const tree of ['cpu', 'memory']) cgroup(`${tree}/kubelet`);
    const hierarchies = ['cpu', 'memory'].map((name) => ({
      directory: join(base, name),
      controllers: [name],
    }));
    await new ProcessCgroups({ layout: { version: 1, hierarchies } }).move(77, '/kubelet');
    assert.deepEqual([membersOf('cpu/kubelet'), membersOf('memory/kubelet')], ['77', '77']);
    cgroup('two/kubelet');
    await new ProcessCgroups({ layout: { version: 2, root: join(base, 'two') } }).move(78, '/kubelet');
    assert.equal(membersOf('two/kubelet'), '78');
  });

  it('moves processes of the root cgroup, but neither the first process nor kernel threads', async () => {
    cgroup('', [1, 2, 30]);
    cgroup('system');
    for (const pid of [1, 2, 30]) mkdirSync(join(base, 'proc', String(pid)), { recursive: true });
    for (const pid of [1, 30]) symlinkSync('/bin/true', join(base, 'proc', String(pid), 'exe'));
    const layout: CgroupLayout = { version: 2, root: base };
    await new ProcessCgroups({ layout, processes: join(base, 'proc') }).moveFromRoot('/system');
    assert.equal(membersOf('system'), '30');
  });

  it('says what cannot be moved', async () => {
    cgroup('');
    await assert.rejects(
      new ProcessCgroups({ layout: { version: 2, root: base } }).move(5, '/gone'),
      /cannot write "5" to ".*gone\/cgroup.procs"/,
    );
  });
});
