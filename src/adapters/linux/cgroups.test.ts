import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import type { Clock } from '../../base/clock.ts';
import { hasCode } from '../../base/errors.ts';
import type { CgroupLayout } from './cgroup-layout.ts';
import { LinuxPodCgroups } from './cgroups.ts';

const POD = '/kubepods/burstable/pod1';
let base: string;
let clock: FakeClock;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'cgroups-'));
  clock = new FakeClock();
});
afterEach(async () => {
  assert.equal(clock.pendingTimers, 0);
  await rm(base, { recursive: true });
});

function make(layout: CgroupLayout): LinuxPodCgroups {
  return new LinuxPodCgroups({ clock, layout, podsRoot: '/kubepods' });
}

/** A directory with the control files the kernel would put there. */
function makeCgroup(path: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(join(base, path), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(base, path, name), content);
}

const contentOf = (path: string): string => readFileSync(join(base, path), 'utf8');

describe('LinuxPodCgroups on version 2', () => {
  const control = { 'cgroup.controllers': 'cpu memory pids\n', 'cgroup.subtree_control': '' };

  it('creates the path and hands the controllers of the root down to it', async () => {
    for (const path of ['', 'kubepods', 'kubepods/burstable']) makeCgroup(path, control);
    assert.deepEqual(await make({ version: 2, root: base }).ensure(POD), []);
    for (const path of ['', 'kubepods', 'kubepods/burstable'])
      assert.equal(contentOf(join(path, 'cgroup.subtree_control')), '+cpu +memory +pids');
    assert.equal(statSync(join(base, POD)).mode & 0o777, 0o755);
  });

  it('asks only for what is not handed down yet', async () => {
    makeCgroup('', { ...control, 'cgroup.subtree_control': 'cpu memory pids' });
    makeCgroup('kubepods', { ...control, 'cgroup.subtree_control': 'memory' });
    makeCgroup('kubepods/burstable', { ...control, 'cgroup.subtree_control': 'pids cpu memory\n' });
    assert.deepEqual(await make({ version: 2, root: base }).ensure(POD), []);
    assert.equal(contentOf('cgroup.subtree_control'), 'cpu memory pids');
    assert.ok(contentOf('kubepods/cgroup.subtree_control').startsWith('+cpu +pids'));
    assert.equal(contentOf('kubepods/burstable/cgroup.subtree_control'), 'pids cpu memory\n');
  });

  it('reports refused controllers as warnings, one by one, and creates the cgroup all the same', async () => {
    makeCgroup('', { 'cgroup.controllers': 'cpu memory' });
    mkdirSync(join(base, 'kubepods/cgroup.subtree_control'), { recursive: true });
    const warnings = await make({ version: 2, root: base }).ensure('/kubepods/pod1');
    assert.deepEqual(
      warnings,
      ['cgroup.subtree_control', 'kubepods/cgroup.subtree_control'].flatMap((file, index) =>
        ['+cpu', '+memory'].map(
          (word) =>
            `cannot write "${word}" to "${join(base, file)}": ${
              index === 0 ? 'no such file or directory' : 'illegal operation on a directory'
            }`,
        ),
      ),
    );
    assert.equal(existsSync(join(base, 'kubepods/pod1')), true);
  });

  it('rejects when the directory cannot be created', async () => {
    writeFileSync(join(base, 'kubepods'), '');
    await assert.rejects(
      make({ version: 2, root: base }).ensure(POD),
      /cannot create cgroup "\/kubepods\/burstable\/pod1": file already exists/,
    );
  });

  it('exists only with every needed controller the root has', async () => {
    makeCgroup('', { 'cgroup.controllers': 'cpu memory io' });
    const cgroups = make({ version: 2, root: base });
    assert.equal(await cgroups.exists(POD), false);
    makeCgroup(POD, { 'cgroup.controllers': 'memory' });
    assert.equal(await cgroups.exists(POD), false);
    makeCgroup(POD, { 'cgroup.controllers': 'cpu memory' });
    assert.equal(await cgroups.exists(POD), true);
  });
});

describe('LinuxPodCgroups on version 1', () => {
  function layout(): CgroupLayout {
    const hierarchy = (name: string, controller = name) => ({
      directory: join(base, name),
      controllers: [controller],
    });
    return {
      version: 1,
      hierarchies: [
        hierarchy('cpuset'),
        hierarchy('memory'),
        hierarchy('systemd', 'name=systemd'),
        hierarchy('blkio'),
      ],
      unified: join(base, 'unified'),
    };
  }
  beforeEach(() => {
    for (const name of ['memory', 'systemd', 'blkio', 'unified']) mkdirSync(join(base, name));
    makeCgroup('cpuset', { 'cpuset.cpus': '0-3\n', 'cpuset.mems': '0\n' });
  });

  it('creates the path in every hierarchy but not in the version 2 tree beside', async () => {
    for (const path of ['kubepods', 'kubepods/burstable', POD])
      makeCgroup(join('cpuset', path), { 'cpuset.cpus': '\n', 'cpuset.mems': '\n' });
    assert.deepEqual(await make(layout()).ensure(POD), []);
    for (const name of ['cpuset', 'memory', 'systemd', 'blkio'])
      assert.equal(existsSync(join(base, name, POD)), true, name);
    assert.deepEqual(readdirSync(join(base, 'unified')), []);
  });

  it('fills empty cpusets from the parent and keeps those that are set', async () => {
    makeCgroup('cpuset/kubepods', { 'cpuset.cpus': '\n', 'cpuset.mems': '0\n' });
    makeCgroup('cpuset/kubepods/burstable', { 'cpuset.cpus': '2-3\n', 'cpuset.mems': '' });
    makeCgroup(join('cpuset', POD), { 'cpuset.cpus': '', 'cpuset.mems': '' });
    assert.deepEqual(await make(layout()).ensure(POD), []);
    assert.equal(contentOf('cpuset/kubepods/cpuset.cpus'), '0-3');
    assert.equal(contentOf('cpuset/kubepods/burstable/cpuset.cpus'), '2-3\n');
    assert.equal(contentOf(join('cpuset', POD, 'cpuset.cpus')), '2-3');
    assert.equal(contentOf(join('cpuset', POD, 'cpuset.mems')), '0');
  });

  it('exists when the needed hierarchies have it; others do not count', async () => {
    const cgroups = make(layout());
    for (const name of ['cpuset', 'memory', 'systemd']) {
      assert.equal(await cgroups.exists(POD), false, name);
      mkdirSync(join(base, name, POD), { recursive: true });
    }
    assert.equal(await cgroups.exists(POD), true);
  });

  it('removes the cgroup and those below from every tree, and nothing beside', async () => {
    for (const name of ['cpuset', 'memory', 'unified'])
      mkdirSync(join(base, name, POD, 'container/nested'), { recursive: true });
    mkdirSync(join(base, 'memory/kubepods/burstable/pod2'));
    await make(layout()).remove(POD);
    for (const name of ['cpuset', 'unified'])
      assert.deepEqual(readdirSync(join(base, name, 'kubepods/burstable')), []);
    assert.deepEqual(readdirSync(join(base, 'memory/kubepods/burstable')), ['pod2']);
    await make(layout()).remove(POD);
  });

  it('rejects when a directory cannot be removed', async () => {
    makeCgroup(join('memory', POD), { file: 'only a real cgroup goes away with its files' });
    await assert.rejects(make(layout()).remove(POD), (error) => {
      assert.ok(hasCode(error, 'failed-precondition'));
      assert.match(error.message, /cannot remove cgroup "\/kubepods\/burstable\/pod1": /);
      return true;
    });
  });
});

describe('LinuxPodCgroups.remove of a busy cgroup', () => {
  /** Fires timers at once, tells the delays and calls `onWait` before each. */
  function recordingClock(onWait: (waits: number) => void): { clock: Clock; delays: number[] } {
    const delays: number[] = [];
    const startTimer = (delayMs: number, run: () => void): Disposable => {
      delays.push(delayMs);
      onWait(delays.length);
      const timer = setImmediate(run);
      return { [Symbol.dispose]: () => clearImmediate(timer) };
    };
    return { clock: { now: () => 0, startTimer }, delays };
  }

  /** A mount point is as busy to rmdir as a cgroup with processes. */
  function makeBusy(): boolean {
    mkdirSync(join(base, POD), { recursive: true });
    return spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', join(base, POD)]).status === 0;
  }
  const release = (): void => void execFileSync('umount', [join(base, POD)]);

  it('tries again after growing waits until it is free', async (t) => {
    if (!makeBusy()) return t.skip('needs the right to mount');
    const { clock, delays } = recordingClock((waits) => waits === 3 && release());
    await new LinuxPodCgroups({ clock, layout: { version: 2, root: base }, podsRoot: '/kubepods' }).remove(
      POD,
    );
    assert.deepEqual(delays, [1, 2, 4]);
    assert.equal(existsSync(join(base, POD)), false);
  });

  it('rejects, worth a retry, when it stays busy', async (t) => {
    if (!makeBusy()) return t.skip('needs the right to mount');
    const { clock, delays } = recordingClock(() => {});
    const cgroups = new LinuxPodCgroups({ clock, layout: { version: 2, root: base }, podsRoot: '/kubepods' });
    await assert.rejects(cgroups.remove(POD), (error) => {
      assert.ok(hasCode(error, 'unavailable'));
      assert.equal(error.message, `cannot remove cgroup "${POD}": resource busy or locked`);
      return true;
    });
    release();
    assert.deepEqual(delays, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
  });
});

describe('LinuxPodCgroups', () => {
  for (const path of [
    '/kubepods',
    '/kubepods/',
    '/kubepodsx/pod1',
    '/system.slice/x',
    '/',
    '',
    '/kubepods/../x',
    '/kubepods//x',
    'kubepods/pod1',
  ])
    it(`refuses ${JSON.stringify(path)}, which is not below the cgroup of all pods`, async () => {
      const cgroups = make({ version: 2, root: base });
      for (const call of [cgroups.ensure(path), cgroups.remove(path), cgroups.exists(path)])
        await assert.rejects(call, (error) => hasCode(error, 'invalid-argument'));
      assert.deepEqual(readdirSync(base), []);
    });
});
