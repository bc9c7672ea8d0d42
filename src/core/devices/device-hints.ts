/**
 * From which memory nodes devices of one resource could be given. A set of
 * nodes is a hint when enough free devices are near to it, and all that the
 * pod already has; it is preferred when no smaller set has as many devices,
 * free or not.
 */
import { countNodes, type NumaMask, subsetsOf, toNumaMask } from '../topology/numa-mask.ts';
import type { TopologyHint } from '../topology/topology-hint.ts';
import type { DeviceMap } from './device.ts';

export interface DeviceHintDemand {
  readonly count: number;
  readonly devices: DeviceMap;
  /** Those that can be given, without `reusable`. */
  readonly free: ReadonlySet<string>;
  /** Those that must be among them. */
  readonly reusable: ReadonlySet<string>;
  /** The memory nodes of the machine. */
  readonly nodes: readonly number[];
}

/** Undefined when it does not matter from where: no device says where it is. */
export function computeDeviceHints(demand: DeviceHintDemand): readonly TopologyHint[] | undefined {
  const { count, devices, free, reusable, nodes } = demand;
  const masks = new Map([...devices].map(([id, { numaNodes }]) => [id, toNumaMask(numaNodes)]));
  if ([...devices.values()].every(({ numaNodes }) => numaNodes.length === 0)) return undefined;
  if (free.size + reusable.size < count) return [];
  const isNear = (id: string, mask: NumaMask): boolean => ((masks.get(id) ?? 0) & mask) !== 0;
  const countNear = (ids: Iterable<string>, mask: NumaMask): number =>
    [...ids].filter((id) => isNear(id, mask)).length;
  let fewest = nodes.length;
  const hints: NumaMask[] = [];
  for (const mask of subsetsOf(nodes)) {
    if (countNear(devices.keys(), mask) >= count) fewest = Math.min(fewest, countNodes(mask));
    const reused = countNear(reusable, mask);
    if (reused === reusable.size && reused + countNear(free, mask) >= count) hints.push(mask);
  }
  return hints.map((mask) => ({ nodes: mask, preferred: countNodes(mask) === fewest }));
}
