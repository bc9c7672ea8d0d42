import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { NEEDS_MOUNTS } from '../../../../test/fakes/mount-right.ts';
import type { Clock } from '../../../base/async/clock.ts';
import { hasCode } from '../../../base/errors.ts';
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
    assert.deepEqual(await make({ version: 2, root: base }).ensure(POD), { warnings: [], hadParent: true });
    for (const path of ['', 'kubepods', 'kubepods/burstable'])
      assert.equal(contentOf(join(path, 'cgroup.subtree_control')), '+cpu +memory +pids');
    assert.equal(statSync(join(base, POD)).mode & 0o777, 0o755);
  });

  it('asks only for what is not handed down yet', async () => {
    makeCgroup('', { ...control, 'cgroup.subtree_control': 'cpu memory pids' });
    makeCgroup('kubepods', { ...control, 'cgroup.subtree_control': 'pids cpu memory\n' });
    makeCgroup('kubepods/burstable', { ...control, 'cgroup.subtree_control': 'memory' });
    assert.deepEqual(await make({ version: 2, root: base }).ensure(POD), { warnings: [], hadParent: true });
    assert.equal(contentOf('cgroup.subtree_control'), 'cpu memory pids');
    assert.equal(contentOf('kubepods/cgroup.subtree_control'), 'pids cpu memory\n');
    assert.ok(contentOf('kubepods/burstable/cgroup.subtree_control').startsWith('+cpu +pids'));
  });

  it('looks no further up than at a cgroup that hands everything down: it has that from above', async () => {
    makeCgroup('', control);
    makeCgroup('kubepods', control);
    makeCgroup('kubepods/burstable', { ...control, 'cgroup.subtree_control': 'pids cpu memory\n' });
    assert.deepEqual(await make({ version: 2, root: base }).ensure(POD), { warnings: [], hadParent: true });
    assert.equal(existsSync(join(base, POD)), true);
    assert.equal(contentOf('kubepods/cgroup.subtree_control'), control['cgroup.subtree_control']);
  });

  it('reports refused controllers as warnings, one by one, and creates the cgroup all the same', async () => {
    makeCgroup('', { 'cgroup.controllers': 'cpu memory' });
    mkdirSync(join(base, 'kubepods/cgroup.subtree_control'), { recursive: true });
    const { warnings, hadParent } = await make({ version: 2, root: base }).ensure('/kubepods/pod1');
    assert.equal(hadParent, true);
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

  it('reports a parent that had to be made, and one that was there without its controllers', async () => {
    const cgroups = make({ version: 2, root: base });
    assert.equal((await cgroups.ensure(POD)).hadParent, false);
    assert.equal((await cgroups.ensure('/kubepods/burstable/pod2')).hadParent, true);
    assert.deepEqual(
      ['/kubepods', POD, '/kubepods/besteffort'].map((path) => cgroups.isThere(path)),
      [true, true, false],
    );
  });

  it('rejects when the directory cannot be created', async () => {
    writeFileSync(join(base, 'kubepods'), '');
    await assert.rejects(
      make({ version: 2, root: base }).ensure(POD),
      /cannot create cgroup "\/kubepods\/burstable\/pod1": not a directory/,
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

describe('LinuxPodCgroups.apply on version 2', () => {
  it('writes what is given to files that are there, and creates none', async () => {
    makeCgroup(POD, { 'cpu.weight': '100', 'cpu.max': 'max 100000', 'memory.max': 'max', 'pids.max': 'max' });
    const values = { cpuShares: 512, cpuQuotaUs: 50_000, cpuPeriodUs: 100_000, memoryLimitBytes: 2 ** 20 };
    const hugepageLimits = [{ pageSize: '2MB', limitBytes: 0 }];
    const cgroups = make({ version: 2, root: base });
    assert.deepEqual(await cgroups.apply(POD, { ...values, hugepageLimits, cpus: '0-1' }), []);
    assert.ok(contentOf(join(POD, 'cpu.weight')).startsWith('20'));
    assert.equal(contentOf(join(POD, 'cpu.max')), '50000 100000');
    assert.equal(contentOf(join(POD, 'memory.max')), '1048576');
    assert.equal(contentOf(join(POD, 'pids.max')), 'max');
    assert.equal(readdirSync(join(base, POD)).length, 4);
  });

  it('reports each refused value with its reason and writes the others', async () => {
    makeCgroup(POD, { 'pids.max': 'max' });
    mkdirSync(join(base, POD, 'cpu.weight'));
    const refusals = await make({ version: 2, root: base }).apply(POD, {
      cpuShares: 2,
      memoryLimitBytes: 1,
      pidsLimit: 7,
    });
    assert.deepEqual(refusals, [
      {
        control: 'cpu.weight',
        message: `cannot write "1" to "${join(base, POD, 'cpu.weight')}": illegal operation on a directory`,
        retryable: false,
      },
      {
        control: 'memory.max',
        message: `cannot write "1" to "${join(base, POD, 'memory.max')}": no such file or directory`,
        retryable: false,
      },
    ]);
    assert.ok(contentOf(join(POD, 'pids.max')).startsWith('7'));
  });

  it('writes to the cgroup of all pods and to those that were named, to no other', async () => {
    for (const path of ['kubepods', 'system']) makeCgroup(path, { 'cpu.weight': '' });
    const cgroups = new LinuxPodCgroups({
      clock,
      layout: { version: 2, root: base },
      podsRoot: '/kubepods',
      reserved: ['/system'],
    });
    for (const path of ['/kubepods', '/system']) {
      assert.deepEqual(await cgroups.apply(path, { cpuShares: 2 }), []);
      assert.equal(contentOf(join(path, 'cpu.weight')), '1');
    }
    await assert.rejects(cgroups.apply('/user', { cpuShares: 2 }), (error) =>
      hasCode(error, 'invalid-argument'),
    );
    await assert.rejects(cgroups.ensure('/system'), (error) => hasCode(error, 'invalid-argument'));
    await assert.rejects(cgroups.remove('/system'), (error) => hasCode(error, 'invalid-argument'));
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
    assert.deepEqual((await make(layout()).ensure(POD)).warnings, []);
    for (const name of ['cpuset', 'memory', 'systemd', 'blkio'])
      assert.equal(existsSync(join(base, name, POD)), true, name);
    assert.deepEqual(readdirSync(join(base, 'unified')), []);
  });

  it('fills empty cpusets from the parent and keeps those that are set', async () => {
    makeCgroup('cpuset/kubepods', { 'cpuset.cpus': '2-3\n', 'cpuset.mems': '\n' });
    makeCgroup('cpuset/kubepods/burstable', { 'cpuset.cpus': '\n', 'cpuset.mems': '' });
    makeCgroup(join('cpuset', POD), { 'cpuset.cpus': '', 'cpuset.mems': '' });
    assert.deepEqual((await make(layout()).ensure(POD)).warnings, []);
    for (const place of ['cpuset/kubepods/burstable', join('cpuset', POD)]) {
      assert.equal(contentOf(join(place, 'cpuset.cpus')), '2-3');
      assert.equal(contentOf(join(place, 'cpuset.mems')), '0');
    }
    assert.equal(contentOf('cpuset/kubepods/cpuset.cpus'), '2-3\n');
    assert.equal(contentOf('cpuset/kubepods/cpuset.mems'), '0');
  });

  it('writes each value in the hierarchy of its controller', async () => {
    makeCgroup(join('cpuset', POD), { 'cpuset.cpus': '' });
    makeCgroup(join('memory', POD), { 'memory.limit_in_bytes': '' });
    const refusals = await make(layout()).apply(POD, {
      cpuShares: 2,
      cpus: '0-1',
      memoryLimitBytes: 2 ** 30,
      hugepageLimits: [{ pageSize: '2MB', limitBytes: 0 }],
    });
    assert.equal(contentOf(join('cpuset', POD, 'cpuset.cpus')), '0-1');
    assert.equal(contentOf(join('memory', POD, 'memory.limit_in_bytes')), '1073741824');
    assert.deepEqual(refusals, [
      { control: 'cpu.shares', message: 'cannot write "cpu.shares": no cpu controller', retryable: false },
    ]);
  });

  it('lists the cgroups below, whichever hierarchy has them', async () => {
    mkdirSync(join(base, 'memory', POD), { recursive: true });
    mkdirSync(join(base, 'unified/kubepods/burstable/pod2'), { recursive: true });
    const cgroups = make(layout());
    assert.deepEqual([...(await cgroups.children('/kubepods/burstable'))].sort(), [
      '/kubepods/burstable/pod1',
      '/kubepods/burstable/pod2',
    ]);
    assert.deepEqual(await cgroups.children('/kubepods'), ['/kubepods/burstable']);
    assert.deepEqual(await cgroups.children('/kubepods/besteffort'), []);
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

describe('a busy cgroup', () => {
  /** Fires timers at once, records the delays and calls `onWait` before each. */
  function recordingClock(onWait: (waits: number) => void): { clock: Clock; delays: number[] } {
    const delays: number[] = [];
    const startTimer = (delayMs: number, run: () => void): Disposable => {
      delays.push(delayMs);
      onWait(delays.length);
      const timer = setImmediate(run);
      return { [Symbol.dispose]: () => clearImmediate(timer) };
    };
    return { clock: { now: () => 0, steady: () => 0, startTimer }, delays };
  }

  /** A mount point is as busy to rmdir as a cgroup with processes. */
  function makeBusy(): void {
    mkdirSync(join(base, POD), { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', join(base, POD)]);
  }
  const release = (): void => void execFileSync('umount', [join(base, POD)]);

  it('tries again after growing waits until it is free', NEEDS_MOUNTS, async () => {
    makeBusy();
    const { clock, delays } = recordingClock((waits) => waits === 3 && release());
    await new LinuxPodCgroups({ clock, layout: { version: 2, root: base }, podsRoot: '/kubepods' }).remove(
      POD,
    );
    assert.deepEqual(delays, [1, 2, 4]);
    assert.equal(existsSync(join(base, POD)), false);
  });

  it(
    'kills what is left in it, but neither process 1, nor 0, nor the agent itself',
    NEEDS_MOUNTS,
    async () => {
      makeBusy();
      const child = spawn('sleep', ['1000']);
      await once(child, 'spawn');
      const ended = once(child, 'exit');
      writeFileSync(join(base, POD, 'cgroup.procs'), `0\n1\n${process.pid}\n${child.pid}\n`);
      const { clock } = recordingClock((waits) => waits === 1 && release());
      await new LinuxPodCgroups({ clock, layout: { version: 2, root: base }, podsRoot: '/kubepods' }).remove(
        POD,
      );
      assert.deepEqual(await ended, [null, 'SIGKILL']);
    },
  );

  it('kills processes of a threaded cgroup, which only the one above lists', NEEDS_MOUNTS, async (t) => {
    mkdirSync(join(base, POD, 'above'), { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', join(base, POD, 'above')]);
    const above = join(base, POD, 'above');
    mkdirSync(join(above, 'threaded'));
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', join(above, 'threaded')]);
    const child = spawn('sleep', ['1000']);
    await once(child, 'spawn');
    const ended = once(child, 'exit');
    writeFileSync(join(above, 'cgroup.procs'), `${child.pid}\n`);
    const kill = t.mock.method(process, 'kill');
    const { clock } = recordingClock((waits) => {
      const wasKilled = kill.mock.calls.some(({ arguments: [pid] }) => pid === child.pid);
      if (waits <= 2 && wasKilled) execFileSync('umount', [waits === 1 ? join(above, 'threaded') : above]);
    });
    await new LinuxPodCgroups({ clock, layout: { version: 2, root: base }, podsRoot: '/kubepods' }).remove(
      POD,
    );
    assert.deepEqual(await ended, [null, 'SIGKILL']);
  });

  for (const [who, pid, word] of [
    ['what may be killed', 999_999_999, '1'],
    ['the agent itself', process.pid, ''],
    ['a process outside its PID namespace', 0, ''],
  ] as const)
    it(`asks the kernel to kill ${who}: "${word}"`, NEEDS_MOUNTS, async () => {
      makeBusy();
      mkdirSync(join(base, POD, 'below'));
      writeFileSync(join(base, POD, 'cgroup.kill'), '');
      writeFileSync(join(base, POD, 'below/cgroup.procs'), `${pid}\n`);
      await assert.rejects(
        new LinuxPodCgroups({ clock, layout: { version: 2, root: base }, podsRoot: '/kubepods' }).remove(POD),
      );
      assert.equal(contentOf(`${POD}/cgroup.kill`), word);
      release();
    });

  it('is killed without being removed, until nothing is left, however deep it is', async () => {
    const below = join(base, POD, 'a/b');
    mkdirSync(below, { recursive: true });
    const child = spawn('sleep', ['1000']);
    await once(child, 'spawn');
    const ended = once(child, 'exit');
    writeFileSync(join(below, 'cgroup.procs'), `0\n1\n${process.pid}\n${child.pid}\n`);
    const { clock, delays } = recordingClock((waits) => {
      if (waits === 2) writeFileSync(join(below, 'cgroup.procs'), '0\n1\n');
    });
    const cgroups = new LinuxPodCgroups({ clock, layout: { version: 2, root: base }, podsRoot: '/kubepods' });
    await cgroups.kill(POD);
    assert.deepEqual(await ended, [null, 'SIGKILL']);
    assert.deepEqual(delays, [1, 2]);
    assert.ok(existsSync(below));
    await cgroups.kill('/kubepods/none');
    await assert.rejects(cgroups.kill('/kubepods'), (error) => hasCode(error, 'invalid-argument'));
  });

  it('is killed five times at most', async () => {
    makeCgroup(POD, { 'cgroup.procs': '999999999\n' });
    const { clock, delays } = recordingClock(() => {});
    await new LinuxPodCgroups({ clock, layout: { version: 2, root: base }, podsRoot: '/kubepods' }).kill(POD);
    assert.deepEqual(delays, [1, 2, 4, 8, 16]);
  });

  it('rejects, worth a retry, when it stays busy', NEEDS_MOUNTS, async () => {
    makeBusy();
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
  it('neither creates nor removes the cgroup of all pods itself', async () => {
    const cgroups = make({ version: 2, root: base });
    for (const call of [cgroups.ensure('/kubepods'), cgroups.remove('/kubepods')])
      await assert.rejects(call, (error) => hasCode(error, 'invalid-argument'));
  });

  for (const path of [
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
      for (const call of [
        cgroups.ensure(path),
        cgroups.remove(path),
        cgroups.exists(path),
        cgroups.apply(path, {}),
        cgroups.children(path),
      ])
        await assert.rejects(call, (error) => hasCode(error, 'invalid-argument'));
      assert.deepEqual(readdirSync(base), []);
    });
});
