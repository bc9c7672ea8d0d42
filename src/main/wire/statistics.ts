/** Where the statistics of the node are read: cgroups, file systems, the runtime. */
import type { CriConnection } from '../../adapters/cri/connect-cri.ts';
import { CgroupMemoryLimit } from '../../adapters/linux/cgroup/cgroup-memory-limit.ts';
import { LinuxCgroupStats } from '../../adapters/linux/stats/cgroup-stats.ts';
import { LinuxFileSystemStats } from '../../adapters/linux/stats/file-system-stats.ts';
import type { StatisticsPorts } from '../../agent/agent-ports.ts';
import { podsCgroupName, toCgroupPath } from '../../core/resources/cgroup-names.ts';
import { toSystemCgroups } from '../settings/system-cgroups.ts';
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
    podMemoryLimit: wirePodMemoryLimit(foundation, node),
    systemCgroups: toSystemCgroups(foundation.loaded, profile, clock.now()),
  };
}

/** Undefined unless it is configured, and the machine has a way to report it. */
function wirePodMemoryLimit(
  { loaded: { config } }: Foundation,
  { machine, profile }: NodeWiring,
): StatisticsPorts['podMemoryLimit'] {
  const { cgroup } = machine;
  if (!config.kernelMemcgNotification || !profile.cgroupsPerQos || cgroup.version === 1) return undefined;
  const { cgroupRoot, cgroupDriver } = profile;
  return new CgroupMemoryLimit(cgroup.root + toCgroupPath(podsCgroupName(cgroupRoot), cgroupDriver));
}
