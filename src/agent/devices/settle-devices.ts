/**
 * Asks plugins about devices that were set aside for a pod: which they prefer,
 * and what comes with them. What was set aside stays so until all of the
 * pod's questions are answered, so that a change of one container's devices
 * cannot lose those of the next to another pod.
 */
import { errorText } from '../../base/errors.ts';
import { chooseDevices, type DeviceDemand } from '../../core/devices/choose-devices.ts';
import { type DeviceAssignment, groupByNuma, idsOf } from '../../core/devices/device.ts';
import type { DeviceLedger } from '../../core/devices/device-ledger.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { Kit } from '../../ports/kit.ts';
import type { DeviceResources, ServingPlugin } from './device-resources.ts';

export interface Reservation {
  readonly assignment: DeviceAssignment;
  /** What the container may get, as of now. */
  readonly demand: () => DeviceDemand;
}

export interface SettleDevicesParts {
  readonly kit: Pick<Kit, 'clock' | 'meter'>;
  readonly resources: DeviceResources;
  readonly ledger: DeviceLedger;
}

/** No container has such a name. */
const HOLD = '';

/** Why the pod does not get its devices; undefined when it has them. Never rejects. */
export async function settleDevices(
  parts: SettleDevicesParts,
  uid: PodUid,
  reservations: readonly Reservation[],
): Promise<string | undefined> {
  const holds = toHolds(uid, reservations);
  for (const hold of holds) parts.ledger.put(hold);
  try {
    for (const reservation of reservations) await settleOne(parts, reservation);
    return undefined;
  } catch (error) {
    return errorText(error);
  } finally {
    for (const hold of holds) parts.ledger.releaseOne(hold);
  }
}

function toHolds(podUid: PodUid, reservations: readonly Reservation[]): DeviceAssignment[] {
  const resources = new Set(reservations.map(({ assignment }) => assignment.resource));
  return [...resources].map((resource) => {
    const own = reservations.filter(({ assignment }) => assignment.resource === resource);
    const ids = new Map([[-1, own.flatMap(({ assignment }) => idsOf(assignment))]]);
    return { podUid, container: HOLD, resource, ids, response: undefined };
  });
}

async function settleOne(parts: SettleDevicesParts, { assignment, demand }: Reservation): Promise<void> {
  const { resources, ledger, kit } = parts;
  const { podUid, container, resource } = assignment;
  const serving = resources.serving(resource);
  if (serving === undefined) throw new Error(`unknown Device Plugin ${resource}`);
  const preferred = await readPreference(serving, demand());
  const choice = chooseDevices(demand(), preferred);
  if (!choice.ok) throw new Error(choice.message);
  // The pod may have ended meanwhile.
  if (!ledger.has(podUid)) return;
  const ids = groupByNuma(choice.ids, resources.devices(resource) ?? new Map());
  ledger.put({ podUid, container, resource, ids, response: undefined });
  const startedAtMs = kit.clock.steady();
  const response = await serving.plugin.allocate(choice.ids);
  kit.meter.devicesAllocated(resource, kit.clock.steady() - startedAtMs);
  if (ledger.get(podUid, container, resource) === undefined) return;
  ledger.put({ podUid, container, resource, ids, response });
}

async function readPreference(
  { plugin, options }: ServingPlugin,
  demand: DeviceDemand,
): Promise<readonly string[]> {
  const choice = chooseDevices(demand);
  if (!options.preferencesAvailable || !choice.ok || choice.question === undefined) return [];
  try {
    return await plugin.readPreference(choice.question);
  } catch (error) {
    throw new Error(`device plugin GetPreferredAllocation rpc failed with err: ${errorText(error)}`);
  }
}
