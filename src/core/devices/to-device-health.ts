/** What a container status says about the health of devices. */
import type { AllocatedResourceStatus } from '../api/pod-status.ts';
import { type DeviceAssignment, type DeviceMap, idsOf } from './device.ts';

/** By container, resources and ids in order. A device that its plugin no longer names is of unknown health. */
export function toDeviceHealth(
  assignments: readonly DeviceAssignment[],
  findDevices: (resource: string) => DeviceMap | undefined,
): ReadonlyMap<string, readonly AllocatedResourceStatus[]> {
  const byContainer = new Map<string, AllocatedResourceStatus[]>();
  for (const assignment of assignments) {
    const { container, resource, response } = assignment;
    if (response === undefined) continue;
    const devices = findDevices(resource);
    const resources = idsOf(assignment).map((resourceID) => ({
      resourceID,
      health: toHealth(devices?.get(resourceID)?.isHealthy),
    }));
    byContainer.set(container, [...(byContainer.get(container) ?? []), { name: resource, resources }]);
  }
  for (const list of byContainer.values()) list.sort((a, b) => (a.name < b.name ? -1 : 1));
  return byContainer;
}

function toHealth(isHealthy: boolean | undefined): string {
  return isHealthy === undefined ? 'Unknown' : isHealthy ? 'Healthy' : 'Unhealthy';
}
