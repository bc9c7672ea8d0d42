// The stand-in for systemd on a real process: what upstream's suite does to its kubelet between two configurations.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';

const UNIT = 'kubelet-20260101T000000';

function setUp(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), 'service-manager-'));
  mkdirSync(join(dir, 'units'));
  for (const name of ['systemd-run', 'systemctl', 'sudo']) {
    symlinkSync(join(import.meta.dirname, 'service-manager.sh'), join(dir, name));
  }
  const env = { ...process.env, PATH: `${dir}:${process.env.PATH}`, NODE_E2E_UNITS: join(dir, 'units') };
  const run = (program: string, ...args: readonly string[]) =>
    execFileSync(join(dir, program), args, { encoding: 'utf8', env, stdio: 'pipe' });
  const start = (...command: readonly string[]) =>
    run(
      'systemd-run',
      ...['-p', 'Delegate=true', '-p', `StandardError=append:${join(dir, 'log')}`],
      ...[`--unit=${UNIT}.service`, '--slice=runtime.slice', '--remain-after-exit', ...command],
    );
  t.after(() => {
    spawnSync(join(dir, 'systemctl'), ['stop', UNIT], { env });
    rmSync(dir, { recursive: true });
  });
  return { dir, env, run, start, log: () => readFileSync(join(dir, 'log'), 'utf8') };
}

test('a unit is listed while it runs, ends when stopped, and starts again with the same words', (t) => {
  const { run, start } = setUp(t);
  start('sleep', '600');
  assert.match(run('systemctl', 'list-units', '*kubelet*', '--state=running'), new RegExp(UNIT));
  run('sudo', 'systemctl', 'stop', UNIT);
  assert.equal(run('systemctl', 'list-units', '*kubelet*', '--state=running'), '');
  assert.match(run('systemctl', 'list-units', '*kubelet*'), /exited/);
  run('systemctl', 'reset-failed', UNIT);
  run('systemctl', 'restart', UNIT);
  assert.match(run('systemctl', 'list-units', '*kubelet*', '--state=running'), new RegExp(UNIT));
});

test('the words reach the program as the suite meant them, and what it prints is appended to the log', (t) => {
  const { run, start, log } = setUp(t);
  const awaitEnd = () => {
    while (run('systemctl', 'list-units', '*kubelet*', '--state=running') !== '');
  };
  start('sh', '-c', 'echo "$$1"', 'sh', '100%% of it');
  awaitEnd();
  run('systemctl', 'restart', UNIT);
  awaitEnd();
  assert.equal(log(), '100% of it\n100% of it\n');
});

test('what the suite never asks for is refused', (t) => {
  const { dir, env } = setUp(t);
  for (const args of [['daemon-reload'], ['stop', 'ssh'], ['list-units']]) {
    const { status, stderr } = spawnSync(join(dir, 'systemctl'), args, { encoding: 'utf8', env });
    assert.equal(status, 1, args.join(' '));
    assert.match(stderr, /not known to this stand-in/);
  }
});
