/**
 * The cgroups whose statistics are shown beside those of pods: the agent's own,
 * and those that the administrator names for runtime (`--runtime-cgroups`) and
 * system (`systemCgroups`).
 */
import { posix } from 'node:path';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { podsCgroupName, toCgroupPath } from '../../core/resources/cgroup-names.ts';
import type { SystemCgroup } from '../../core/stats/to-node-stats.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';

export function toSystemCgroups(
  { config, flags }: Pick<LoadedConfiguration, 'config' | 'flags'>,
  {
    cgroupDriver,
    cgroupRoot,
    cgroupsPerQos,
  }: Pick<NodeProfile, 'cgroupDriver' | 'cgroupRoot' | 'cgroupsPerQos'>,
  startedAtMs: number,
): SystemCgroup[] {
  const named = (name: SystemCgroup['name'], cgroup: string): SystemCgroup[] =>
    cgroup === '' ? [] : [{ name, path: toPath(cgroup), startedAtMs: undefined }];
  const { kubeletCgroups, systemCgroups } = config;
  const own = kubeletCgroups === '' ? ('own' as const) : toPath(kubeletCgroups);
  const pods = toCgroupPath(podsCgroupName(cgroupRoot), cgroupDriver);
  return [
    { name: 'kubelet', path: own, startedAtMs },
    ...named('runtime', flags.runtimeCgroups),
    ...named('misc', systemCgroups),
    ...(cgroupsPerQos ? [{ name: 'pods', path: pods, startedAtMs: undefined } as const] : []),
  ];
}

/** As it is in the tree, whatever the driver: `/system.slice/containerd.service` is no slice of ours. */
function toPath(cgroup: string): string {
  return posix.normalize(`/${cgroup}`).replace(/(?<=.)\/$/, '');
}
