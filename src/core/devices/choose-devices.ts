/**
 * Which devices a container gets of one resource. What an init container of
 * the pod no longer needs comes first; then devices near the memory nodes the
 * pod was aligned to; within these what the plugin prefers. Texts of refusals
 * are upstream's.
 *
 * Invariants: a choice holds exactly the number asked for, each id once; beside
 * those that are reused all are healthy and free; what the plugin prefers can
 * only reorder what is allowed anyway.
 */
import type { Device, DeviceMap } from './device.ts';

export interface DeviceDemand {
  readonly resource: string;
  readonly count: number;
  /** Of init containers of the same pod. */
  readonly reusable: ReadonlySet<string>;
  readonly devices: DeviceMap;
  /** Ids that others have. */
  readonly taken: ReadonlySet<string>;
  /** Memory nodes to be near to; undefined when any will do. */
  readonly affinity: readonly number[] | undefined;
}

/** What a plugin may be asked: which `size` of these it would give, these included. */
export interface PreferenceQuestion {
  readonly available: readonly string[];
  readonly mustInclude: readonly string[];
  readonly size: number;
}

export type DeviceChoice =
  | {
      readonly ok: true;
      readonly ids: readonly string[];
      /** Undefined when there is nothing to choose. */
      readonly question: PreferenceQuestion | undefined;
    }
  | { readonly ok: false; readonly message: string };

/** `preferred` is the answer to the question of an earlier choice; ids that are not allowed are ignored. */
export function chooseDevices(demand: DeviceDemand, preferred: readonly string[] = []): DeviceChoice {
  const { resource, count, reusable, devices, taken } = demand;
  const reused = [...reusable].slice(0, count);
  const missing = count - reused.length;
  if (missing === 0) return { ok: true, ids: reused, question: undefined };
  const free = [...devices.values()].filter(
    ({ id, isHealthy }) => isHealthy && !taken.has(id) && !reusable.has(id),
  );
  if (free.length < missing)
    return {
      ok: false,
      message: `requested number of devices unavailable for ${resource}. Requested: ${missing}, Available: ${free.length}`,
    };
  const { aligned, others } = splitByAffinity(free, demand.affinity);
  // More near ones than needed: the plugin chooses among them. Else all of them, and it chooses among the rest.
  const [fixed, open] = missing < aligned.length ? [[], aligned] : [aligned, others];
  const left = missing - fixed.length;
  // Sets: plugins that offer memory in small pieces have tens of thousands of devices.
  const allowed = new Set(open);
  const liked = new Set(preferred.filter((id) => allowed.has(id)));
  const ordered = [...liked, ...open.filter((id) => !liked.has(id))];
  const mustInclude = [...reused, ...fixed];
  const question =
    left === 0 || left === open.length
      ? undefined
      : { available: [...mustInclude, ...open], mustInclude, size: count };
  return { ok: true, ids: [...mustInclude, ...ordered.slice(0, left)], question };
}

/** `others` with those that are near to other nodes first, those near to none last. */
function splitByAffinity(
  free: readonly Device[],
  affinity: readonly number[] | undefined,
): { readonly aligned: readonly string[]; readonly others: readonly string[] } {
  const toId = ({ id }: Device): string => id;
  if (affinity === undefined) return { aligned: [], others: free.map(toId) };
  const isAligned = ({ numaNodes }: Device): boolean => numaNodes.some((node) => affinity.includes(node));
  const unaligned = free.filter((device) => device.numaNodes.length > 0 && !isAligned(device));
  const anywhere = free.filter(({ numaNodes }) => numaNodes.length === 0);
  return { aligned: free.filter(isAligned).map(toId), others: [...unaligned, ...anywhere].map(toId) };
}
