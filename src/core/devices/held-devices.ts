/**
 * What of its devices a container may keep when it is given them again, as
 * after a restart of the agent. Texts are upstream's.
 */

import { quote } from '../../base/text/quote.ts';
import type { PodUid } from '../model/ids.ts';
import { type DeviceAssignment, type DeviceMap, idsOf } from './device.ts';

export interface HeldDemand {
  readonly podUid: PodUid;
  readonly container: string;
  readonly resource: string;
  readonly count: number;
  readonly devices: DeviceMap;
  readonly held: DeviceAssignment | undefined;
}

/** Undefined when devices are to be chosen; no message when the container keeps what it has. */
export function checkHeldDevices(demand: HeldDemand): { readonly message: string | undefined } | undefined {
  const { podUid, container, resource, count, devices, held } = demand;
  const ids = held === undefined ? [] : idsOf(held);
  if (held !== undefined && ids.length !== count) {
    const who = `pod ${quote(podUid)} container ${quote(container)}`;
    return {
      message: `${who} changed request for resource ${quote(resource)} from ${ids.length} to ${count}`,
    };
  }
  const healthy = new Set([...devices.values()].filter(({ isHealthy }) => isHealthy).map(({ id }) => id));
  if (healthy.size === 0)
    return { message: `no healthy devices present; cannot allocate unhealthy devices ${resource}` };
  if (held === undefined) return undefined;
  const isLost = ids.some((id) => !healthy.has(id));
  const lost = `previously allocated devices are no longer healthy; cannot allocate unhealthy devices ${resource}`;
  return { message: isLost ? lost : undefined };
}
