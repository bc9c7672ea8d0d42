// The stand-in for systemctl on a real process: what kubeadm asks of an init system, and when its answers come.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';

/** A machine whose kubelet is this script; it ends on SIGTERM. */
function setUp(t: TestContext, { type, kubelet }: { readonly type: string; readonly kubelet: string }) {
  const dir = mkdtempSync(join(tmpdir(), 'systemctl-'));
  for (const name of ['systemctl', 'systemd-notify']) {
    symlinkSync(join(import.meta.dirname, 'systemctl.sh'), join(dir, name));
  }
  writeFileSync(join(dir, 'type'), type);
  writeFileSync(join(dir, 'kubelet'), `#!/bin/bash\n${kubelet}\n`);
  chmodSync(join(dir, 'kubelet'), 0o755);
  const log = join(dir, 'log');
  const PATH = `${dir}:${process.env['PATH']}`;
  const env = { ...process.env, PATH, KUBELET_UNIT_STATE: dir, KUBELET_UNIT_LOG: log };
  const systemctl = (...args: readonly string[]) =>
    spawnSync(join(dir, 'systemctl'), args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => {
    systemctl('stop', 'kubelet');
    rmSync(dir, { recursive: true });
  });
  return { dir, env, systemctl, readLog: () => readFileSync(log, 'utf8') };
}

const SLEEPS = 'exec sleep 600';

test('a simple unit is active once started, with the flags of the drop-in, and inactive once stopped', (t) => {
  const { systemctl, readLog } = setUp(t, { type: 'simple', kubelet: SLEEPS });
  assert.equal(systemctl('is-active', 'kubelet').stdout, 'inactive\n');
  assert.equal(systemctl('is-enabled', 'kubelet').status, 0);
  assert.equal(systemctl('daemon-reload').status, 0);
  assert.equal(systemctl('restart', 'kubelet').status, 0);
  assert.equal(systemctl('is-active', 'kubelet.service').stdout, 'active\n');
  assert.match(systemctl('status', 'kubelet').stdout, /Loaded: loaded/);
  assert.equal(systemctl('stop', 'kubelet').status, 0);
  const { status, stdout } = systemctl('is-active', 'kubelet');
  assert.deepEqual([status, stdout], [1, 'inactive\n']);
  assert.match(
    readLog(),
    /--kubeconfig=\/etc\/kubernetes\/kubelet.conf --config=\/var\/lib\/kubelet\/config.yaml/,
  );
});

test('a unit that notifies is started when it says so, and not before', (t) => {
  const kubelet = `touch "$KUBELET_UNIT_STATE/began"; systemd-notify READY=1; ${SLEEPS}`;
  const { dir, systemctl } = setUp(t, { type: 'notify', kubelet });
  assert.equal(systemctl('start', 'kubelet').status, 0);
  assert.equal(readFileSync(join(dir, 'notified'), 'utf8'), 'READY=1\n');
  assert.equal(systemctl('is-active', 'kubelet').stdout, 'active\n');
});

test('a start whose kubelet ends at once fails, and the unit goes on trying', (t) => {
  const { systemctl } = setUp(t, { type: 'notify', kubelet: 'exit 1' });
  assert.equal(systemctl('start', 'kubelet').status, 1);
  assert.equal(systemctl('is-active', 'kubelet').stdout, 'activating\n');
});

test('other units are not there, and what kubeadm never asks for is refused', (t) => {
  const { dir, env, systemctl } = setUp(t, { type: 'simple', kubelet: SLEEPS });
  assert.equal(systemctl('is-active', 'systemd-resolved').stdout, 'inactive\n');
  assert.equal(systemctl('status', 'firewalld').status, 4);
  for (const args of [['stop', 'ssh'], ['mask', 'kubelet'], ['restart']]) {
    assert.match(systemctl(...args).stderr, /not known to this stand-in/, args.join(' '));
  }
  assert.throws(() => execFileSync(join(dir, 'systemd-notify'), ['a', 'b'], { env, stdio: 'pipe' }));
});
