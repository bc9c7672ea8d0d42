/** Where the statistics of the node are read: cgroups, file systems, the runtime. */
import type { CriConnection } from '../../adapters/cri/connect-cri.ts';
import { LinuxCgroupStats } from '../../adapters/linux/stats/cgroup-stats.ts';
import { LinuxFileSystemStats } from '../../adapters/linux/stats/file-system-stats.ts';
import type { StatisticsPorts } from '../../agent/agent-ports.ts';
import { parseCgroupPath, podsCgroupName, toCgroupPath } from '../../core/resources/cgroup-names.ts';
import type { SystemCgroup } from '../../core/stats/to-node-stats.ts';
import type { Foundation } from './foundation.ts';
import type { NodeWiring } from './node.ts';

export function wireStatistics(
  foundation: Foundation,
  { containerStats, loadPodStats }: Pick<CriConnection, 'containerStats' | 'loadPodStats'>,
  node: NodeWiring,
): StatisticsPorts {
  const { clock } = foundation;
  const { profile, machine, system } = node;
  return {
    cgroupStats: new LinuxCgroupStats({ layout: machine.cgroup, clock }),
    fileSystems: new LinuxFileSystemStats(clock, [profile.rootDir, profile.podLogsDir]),
    containerStats,
    loadPodStats: foundation.loaded.features.enabled('PodAndContainerStatsFromCRI')
      ? loadPodStats
      : undefined,
    loadDetails: async () => {
      const { LinuxCgroupDetails } = await import('../../adapters/linux/stats/cgroup-details-reader.ts');
      const { cpuCount: cores, memoryBytes } = machine.capacity;
      return new LinuxCgroupDetails({
        layout: machine.cgroup,
        clock,
        machine: { ...system, cores, memoryBytes, swapBytes: machine.swapBytes },
        podPlaces: [profile.rootDir],
      });
    },
    systemCgroups: toSystemCgroups(foundation, node),
  };
}

/** Those that are configured, and the agent's own. */
function toSystemCgroups({ loaded, clock }: Foundation, { profile }: NodeWiring): SystemCgroup[] {
  const { config, flags } = loaded;
  const { cgroupDriver: driver, cgroupRoot, cgroupsPerQos } = profile;
  const toPath = (name: string): string => toCgroupPath(parseCgroupPath(name, driver), driver);
  const named = (name: SystemCgroup['name'], cgroup: string): SystemCgroup[] =>
    cgroup === '' ? [] : [{ name, path: toPath(cgroup), startedAtMs: undefined }];
  const { kubeletCgroups, systemCgroups } = config;
  const own = kubeletCgroups === '' ? ('own' as const) : toPath(kubeletCgroups);
  const pods = toCgroupPath(podsCgroupName(cgroupRoot), driver);
  return [
    { name: 'kubelet', path: own, startedAtMs: clock.now() },
    ...named('runtime', flags.runtimeCgroups),
    ...named('misc', systemCgroups),
    ...(cgroupsPerQos ? [{ name: 'pods', path: pods, startedAtMs: undefined } as const] : []),
  ];
}
