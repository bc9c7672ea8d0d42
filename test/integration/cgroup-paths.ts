/** Where a test node's cgroups are below the mount, for both versions and both drivers. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CGROUP_DRIVER } from '../../scripts/demo/kubelet-process.ts';
import { podsCgroupName, toCgroupPath } from '../../src/core/resources/cgroup-names.ts';
import type { TestNode } from './node.ts';

const MOUNT = '/sys/fs/cgroup';
export const IS_UNIFIED = existsSync(join(MOUNT, 'cgroup.controllers'));

/** `path` is as the driver cgroupfs writes it below the cgroup of all pods, such as `burstable/pod<uid>`. */
export function cgroupDirectory({ kubelet }: TestNode, controller: string, path: string): string {
  const name = [...podsCgroupName(kubelet.cgroupRoot), ...path.split('/').filter(Boolean)];
  return join(MOUNT, IS_UNIFIED ? '' : controller, toCgroupPath(name, CGROUP_DRIVER));
}

/** What the runtime calls the cgroup of a container. */
export function containerCgroup(id: string): string {
  return CGROUP_DRIVER === 'systemd' ? `cri-containerd-${id}.scope` : id;
}
