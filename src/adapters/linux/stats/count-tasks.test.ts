import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { countTasks, readTaskLimits } from './count-tasks.ts';

function setUp(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'count-tasks-'));
  t.after(() => rmSync(root, { recursive: true }));
  return {
    root,
    count: (processes: readonly number[]) => {
      writeFileSync(join(root, 'cgroup.procs'), processes.map((pid) => `${pid}\n`).join(''));
      const places = { proc: root, processes: root, pids: undefined };
      return { ...countTasks(places), limits: readTaskLimits(places, false) };
    },
  };
}

test('countTasks looks at no process after so many descriptors', (t) => {
  const { root, count } = setUp(t);
  mkdirSync(join(root, '1', 'fd'), { recursive: true });
  for (let fd = 0; fd < 100; fd++) symlinkSync('socket:[1]', join(root, '1', 'fd', `${fd}`));
  const processes = Array.from({ length: 60 }, (_, index) => index + 1);
  for (const pid of processes.slice(1)) symlinkSync('1', join(root, `${pid}`));
  // How they are listed depends on the file system.
  const looks = [t.mock.method(fs, 'opendirSync'), t.mock.method(fs, 'readdirSync')];
  syncBuiltinESMExports();
  t.after(() => {
    for (const { mock } of looks) mock.restore();
    syncBuiltinESMExports();
  });
  const { processes: found, descriptors, sockets } = count(processes);
  assert.deepEqual([found, descriptors, sockets], [60, 4000, 4000]);
  assert.equal(looks[0]!.mock.callCount() + looks[1]!.mock.callCount(), 40);
});

test('countTasks finds the first of any number of processes', (t) => {
  const { root, count } = setUp(t);
  mkdirSync(join(root, '12'));
  writeFileSync(
    join(root, '12', 'limits'),
    'Max open files            1024                 4096                 files\n',
  );
  const processes = [...new Array<number>(150_000).fill(13), 12, 14];
  const { processes: found, limits } = count(processes);
  assert.deepEqual([found, limits.openFiles], [processes.length, 1024]);
  assert.equal(count([]).limits.openFiles, undefined);
});

test('countTasks counts what a process of this machine has open', async (t) => {
  const { root } = setUp(t);
  // Node makes a pipe of two connected sockets.
  const child = spawn('sleep', ['60'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  await once(child, 'spawn');
  writeFileSync(join(root, 'cgroup.procs'), `${child.pid}\n`);
  const { descriptors, sockets } = countTasks({ proc: '/proc', processes: root, pids: undefined });
  const names = fs.readdirSync(`/proc/${child.pid}/fd`);
  assert.ok(names.length >= 4);
  assert.deepEqual([descriptors, sockets], [names.length, 1]);
});
