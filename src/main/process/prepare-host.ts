/** What the machine must be like before the first pod: cgroups that can be used, and settings of the kernel. */
import { findLayoutProblem } from '../../adapters/linux/cgroup/cgroup-layout.ts';
import { findRootProblem } from '../../adapters/linux/cgroup/cgroup-root.ts';
import { tuneKernel } from '../../adapters/linux/machine/kernel-tunables.ts';
import type { MachineFacts } from '../../adapters/linux/machine/machine-facts.ts';
import { findSystemBus } from '../../adapters/systemd/system-bus.ts';
import { requireSystemd, toUnitBus } from '../../adapters/systemd/systemd-units.ts';
import { AgentError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import type { KubeletConfiguration } from '../config/kubelet-configuration.ts';

export interface PreparedHost {
  /** Absent where systemd does not own the cgroups. */
  readonly systemdVersion: number | undefined;
}

export interface HostSettings extends Pick<KubeletConfiguration, 'protectKernelDefaults'> {
  /** One does not even look at settings of the kernel, and makes the cgroup for its pods itself. */
  readonly isGuest: boolean;
}

/** Rejects with AgentError where no pod should be started. */
export async function prepareHost(
  { protectKernelDefaults, isGuest }: HostSettings,
  {
    cgroupsPerQos,
    cgroupDriver,
    cgroupRoot,
  }: Pick<NodeProfile, 'cgroupsPerQos' | 'cgroupDriver' | 'cgroupRoot'>,
  { cgroup }: Pick<MachineFacts, 'cgroup'>,
  logger: Logger,
): Promise<PreparedHost> {
  const wantsRoot = cgroupsPerQos && !isGuest;
  const problem =
    findLayoutProblem(cgroup) ?? (wantsRoot ? findRootProblem(cgroup, cgroupRoot, cgroupDriver) : undefined);
  if (problem !== undefined) throw new AgentError('failed-precondition', problem);
  if (!isGuest)
    for (const warning of await tuneKernel({ protect: protectKernelDefaults })) logger.warn(warning);
  return cgroupsPerQos && cgroupDriver === 'systemd'
    ? {
        systemdVersion: await requireSystemd(
          toUnitBus(findSystemBus(process.env['DBUS_SYSTEM_BUS_ADDRESS'])),
        ),
      }
    : { systemdVersion: undefined };
}
