/** What the machine is as a node: read once at the start, and made ready for pods. */
import { LinuxHostFiles } from '../../adapters/linux/files/host-files.ts';
import { readAppArmorEnabled } from '../../adapters/linux/machine/app-armor.ts';
import type { MachineFacts } from '../../adapters/linux/machine/machine-facts.ts';
import { readNodeProfile } from '../../adapters/linux/machine/node-profile-reader.ts';
import { readUserIdRange } from '../../adapters/linux/machine/sub-ids.ts';
import { readSystemInfo, type SystemInfo } from '../../adapters/linux/machine/system-info.ts';
import { makeRootShared } from '../../adapters/linux/mount/shared-root.ts';
import { NodeState } from '../../agent/node/node-state.ts';
import { LEGACY_LOG_DIRECTORY } from '../../core/model/log-paths.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import type { UserIdRange } from '../../core/node/user-ids.ts';
import { writeMounterResolver } from '../process/mounter-resolver.ts';
import { prepareHost } from '../process/prepare-host.ts';
import { applyProcessSettings } from '../process/process-settings.ts';
import { toNodeSettings } from '../settings/node-settings.ts';
import { findUnusableFeatures } from '../settings/node-warnings.ts';
import { checkReservations, checkSwap } from '../settings/reservations.ts';
import type { Foundation } from './foundation.ts';
import { claimPodPlaces } from './process.ts';
import { applyPodCidr, type RuntimeWiring, readCgroupDriver } from './runtime.ts';

export interface NodeWiring {
  readonly profile: NodeProfile;
  readonly machine: MachineFacts;
  readonly system: SystemInfo;
  readonly state: NodeState;
  readonly appArmorEnabled: boolean;
  readonly supplementalGroupsPolicy: boolean;
  /** What pods with users of their own get. */
  readonly userIds: UserIdRange;
  /** Undefined where systemd does not own the cgroups. */
  readonly systemdVersion: number | undefined;
}

/** Rejects with AgentError where no pod should be started. */
export async function readNode(foundation: Foundation, { cri }: RuntimeWiring): Promise<NodeWiring> {
  const { loaded, logger, scope } = foundation;
  const { config } = loaded;
  const driver = await readCgroupDriver(foundation, cri);
  const { handlers, features } = await cri.reader.status({ signal: scope.signal, label: 'start' });
  const reading = await readNodeProfile(toNodeSettings(loaded, driver, 1, () => handlers));
  const { machine, warnings } = reading;
  const { singleProcessOOMKill: singleProcessOomKill = machine.cgroup.version === 1 } = config;
  const profile = { ...reading.node, singleProcessOomKill };
  for (const warning of [...warnings, ...findUnusableFeatures(loaded, machine)]) logger.warn(warning);
  await claimPodPlaces(foundation, profile);
  checkSwap(loaded, machine);
  checkReservations(loaded, machine);
  await applyProcessSettings(config, logger);
  const { protectKernelDefaults } = config;
  const host = { protectKernelDefaults, isGuest: foundation.podOwner !== undefined };
  const { systemdVersion } = await prepareHost(host, profile, machine, logger);
  await makeDirectories(profile, foundation);
  const { experimentalMounterPath: mounter } = loaded.flags;
  if (mounter !== '') await writeMounterResolver(mounter, config, logger);
  await applyPodCidr(foundation, cri);
  return {
    profile,
    machine,
    system: await readSystemInfo(),
    state: new NodeState(),
    appArmorEnabled: await readAppArmorEnabled(),
    supplementalGroupsPolicy: features.supplementalGroupsPolicy,
    userIds: await readUserIdRange(config.userNamespaces.idsPerPod, config.maxPods),
    systemdVersion,
  };
}

async function makeDirectories({ rootDir, podLogsDir }: NodeProfile, { logger }: Foundation): Promise<void> {
  const files = new LinuxHostFiles();
  // Storage drivers and other plugins may look for theirs before their first use.
  const own = ['', '/pods', '/plugins', '/plugins_registry'].map((name) => `${rootDir}${name}`);
  for (const path of [...own, podLogsDir]) await files.makeDirectory(path, 0o750);
  await files.makeDirectory(LEGACY_LOG_DIRECTORY, 0o755);
  const unshared = await makeRootShared(rootDir);
  if (unshared !== undefined) logger.warn('mounts do not propagate', { rootDir, why: unshared });
}
