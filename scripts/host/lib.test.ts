import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const LIB = join(import.meta.dirname, 'lib.sh');

function networkName(hostDir: string | undefined, instance: string): string {
  const { KUBELET_TS_HOST_DIR: _ours, ...environment } = process.env;
  const script = '. "$0" && network_name "$1"';
  return execFileSync('bash', ['-c', script, LIB, instance], {
    encoding: 'utf8',
    env: hostDir === undefined ? environment : { ...environment, KUBELET_TS_HOST_DIR: hostDir },
  }).trim();
}

describe('need_apt', () => {
  it('ends where there is no apt-get, with what is missing and how to get on without', () => {
    const script = '. "$1"; PATH=/nowhere; WITHOUT_APT="copy it"; need_apt qemu mmdebstrap';
    const install = join(import.meta.dirname, 'install.sh');
    const { status, stderr } = spawnSync('bash', ['-c', script, 'bash', install], { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, /this host has no apt-get \(.+\); missing: qemu mmdebstrap; copy it$/m);
  });
});

describe('network_name', () => {
  it('is plain in the usual state directory, and another in each other one: firewall rules carry it', () => {
    assert.equal(networkName('/var/lib/kubelet-ts-host', 'cluster'), 'kts-cluster');
    const [a, b] = [networkName('/nowhere/a', 'cluster'), networkName('/nowhere/b', 'cluster')];
    assert.match(a, /^kts-[0-9a-f]{6}-cluster$/);
    assert.notEqual(a, b);
    assert.equal(networkName('/nowhere/a', 'cluster'), a);
  });

  it('stays what it was for an instance that has a network', () => {
    const hostDir = mkdtempSync(join(tmpdir(), 'kubelet-host-'));
    try {
      const directory = join(hostDir, 'instances/cluster/cni/net.d');
      mkdirSync(directory, { recursive: true });
      const network = '{\n  "cniVersion": "0.4.0",\n  "name": "kts-cluster",\n  "plugins": []\n}\n';
      writeFileSync(join(directory, '10-kts.conflist'), network);
      assert.equal(networkName(hostDir, 'cluster'), 'kts-cluster');
    } finally {
      rmSync(hostDir, { recursive: true });
    }
  });
});

describe('start_daemon', () => {
  it('returns when the daemon is known to run, however long the machine takes to start it', () => {
    const directory = mkdtempSync(join(tmpdir(), 'kubelet-host-'));
    try {
      const slow = '#!/bin/bash\nsleep 0.3\nexec "$@"\n';
      writeFileSync(join(directory, 'nohup'), slow, { mode: 0o755 });
      mkdirSync(join(directory, 'run'));
      const script = 'PATH="$1:$PATH"; start_daemon one /bin/sleep 60; daemon_pid one; stop_daemon one';
      const text = execFileSync('bash', ['-c', `. "$0"; ${script}`, LIB, directory], {
        encoding: 'utf8',
        env: { ...process.env, KUBELET_TS_HOST_DIR: directory },
      });
      assert.match(text, /^[1-9]\d*\n$/);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
