/** Cgroups of pods, and what the node keeps for others. */
import { LinuxPodCgroups } from '../../adapters/linux/cgroup/cgroups.ts';
import { findSystemBus } from '../../adapters/systemd/system-bus.ts';
import { SystemdPodCgroups } from '../../adapters/systemd/systemd-pod-cgroups.ts';
import { SystemdUnits, toUnitBus } from '../../adapters/systemd/systemd-units.ts';
import type { ResourceSettings } from '../../agent/agent-ports.ts';
import { podsCgroupName, toCgroupPath } from '../../core/resources/cgroup-names.ts';
import type { PodCgroups } from '../../ports/host/cgroups.ts';
import { toAssignment } from '../settings/assignment.ts';
import { toNodeCgroups } from '../settings/node-cgroups.ts';
import { toReservations } from '../settings/reservations.ts';
import type { Foundation } from './foundation.ts';
import type { NodeWiring } from './node.ts';

export interface ResourceWiring {
  readonly cgroups: PodCgroups;
  readonly settings: ResourceSettings;
}

/** Throws AgentError when the machine cannot be handed out as the configuration says. */
export function wireResources({ loaded, clock, scope }: Foundation, node: NodeWiring): ResourceWiring {
  const { profile, machine, userIds, systemdVersion } = node;
  const { allPods, reserved, reservedMemoryPercent } = toNodeCgroups(
    { ...loaded.config, ...toReservations(loaded) },
    profile,
    machine,
  );
  const assignment = toAssignment(loaded, machine);
  const settings = { assignment, userIds, allPods, reserved, reservedMemoryPercent };
  const podsRoot = toCgroupPath(podsCgroupName(profile.cgroupRoot), profile.cgroupDriver);
  const kept = reserved.map(({ path }) => path);
  const files = new LinuxPodCgroups({ clock, layout: machine.cgroup, podsRoot, reserved: kept });
  if (systemdVersion === undefined) return { cgroups: files, settings };
  const facts = { cgroupVersion: machine.cgroup.version, systemdVersion };
  const connect = toUnitBus(findSystemBus(process.env['DBUS_SYSTEM_BUS_ADDRESS']));
  const units = scope.use(new SystemdUnits({ clock, connect }));
  return { cgroups: new SystemdPodCgroups({ units, files, facts, podsRoot }), settings };
}
