/**
 * What the configuration says about the node, in the words of the node facts.
 * The machine's own part is read by adapters/linux.
 */
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { NodeSettings } from '../../adapters/linux/machine/node-profile-reader.ts';
import { AgentError } from '../../base/errors.ts';
import type { CgroupDriver, NodeProfile } from '../../core/model/node-profile.ts';
import type { FeatureName } from '../config/features.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';
import { durationMs } from '../config/parse-duration.ts';
import { parseNodeIPs, toNodeName } from '../config/validate/validate-flags.ts';
import { toReservations } from './reservations.ts';

/** Throws AgentError when the node has no name. */
export function toNodeSettings(
  loaded: LoadedConfiguration,
  cgroupDriver: CgroupDriver,
  cgroupVersion: 1 | 2,
  runtimeHandlers: NodeProfile['runtimeHandlers'],
): NodeSettings {
  const { config, flags, features } = loaded;
  return {
    nodeName: requireName(toNodeName(flags.hostnameOverride, hostname())),
    requestedNodeIps: parseNodeIPs(flags.nodeIP).addresses,
    // Mounts and the runtime have no working directory to start from.
    rootDir: resolve(flags.rootDir),
    podLogsDir: config.podLogsDir,
    clusterDomain: config.clusterDomain,
    clusterDns: config.clusterDNS,
    resolvConfPath: config.resolvConf,
    cgroupDriver,
    cgroupRoot: config.cgroupRoot,
    cgroupsPerQos: config.cgroupsPerQOS,
    cpuCfsQuota: config.cpuCFSQuota,
    cpuCfsPeriodUs: durationMs(config.cpuCFSQuotaPeriod) * 1000,
    singleProcessOomKill: config.singleProcessOOMKill ?? cgroupVersion === 1,
    podPidsLimit: config.podPidsLimit,
    memoryThrottlingFactor: config.memoryThrottlingFactor,
    memoryReservationPolicy:
      config.memoryReservationPolicy === 'TieredReservation' ? 'TieredReservation' : 'None',
    swapBehavior: config.memorySwap.swapBehavior === 'LimitedSwap' ? 'LimitedSwap' : 'NoSwap',
    seccompDefault: config.seccompDefault || flags.seccompDefault,
    ...toReservations(loaded),
    features: (name) => features.enabled(name as FeatureName),
    runtimeHandlers,
  };
}

function requireName(name: string | undefined): string {
  if (name !== undefined) return name;
  throw new AgentError(
    'invalid-argument',
    'cannot name the node: empty hostname is invalid; set --hostname-override',
  );
}
