import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CgroupDriver } from '../../core/model/node-profile.ts';
import type { SystemCgroup } from '../../core/stats/to-node-stats.ts';
import type { KubeletConfiguration } from '../config/kubelet-configuration.ts';
import type { ProcessFlags } from '../config/process-flags.ts';
import { toSystemCgroups } from './system-cgroups.ts';

const FILE: Record<string, string> = { kubeletCgroups: '', systemCgroups: '' };

function toPaths(
  driver: CgroupDriver,
  config: Record<string, string> = {},
  runtimeCgroups = '',
): [SystemCgroup['name'], string][] {
  const loaded = {
    config: { ...FILE, ...config } as unknown as KubeletConfiguration,
    flags: { runtimeCgroups } as ProcessFlags,
  };
  const node = { cgroupDriver: driver, cgroupRoot: '/', cgroupsPerQos: true };
  return toSystemCgroups(loaded, node, 7).map(({ name, path }) => [name, path]);
}

describe('toSystemCgroups', () => {
  it('has the agent where it is, and the cgroup of all pods', () => {
    assert.deepEqual(toPaths('cgroupfs'), [
      ['kubelet', 'own'],
      ['pods', '/kubepods'],
    ]);
  });

  it('takes the names of the administrator as they are, with either driver', () => {
    for (const driver of ['cgroupfs', 'systemd'] as const) {
      const config = { kubeletCgroups: '/system.slice/kubelet.service', systemCgroups: 'system.slice/' };
      assert.deepEqual(toPaths(driver, config, '/system.slice/containerd.service').slice(0, 3), [
        ['kubelet', '/system.slice/kubelet.service'],
        ['runtime', '/system.slice/containerd.service'],
        ['misc', '/system.slice'],
      ]);
    }
    assert.deepEqual(toPaths('systemd', {}, '/').at(1), ['runtime', '/']);
  });
});
