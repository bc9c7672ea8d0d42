/**
 * Expanding a volume on the node, after its controller has expanded it: when to
 * call the driver, and what the claim shows before and after. The claim's
 * status is the record: a restarted node reads its progress there.
 */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/persistent-volume.ts';
import { compareQuantities, quantityToBytes, tryParseQuantity } from '../../api/quantity.ts';

export interface Expansion {
  /** As the claim is to show it. */
  readonly size: string;
  readonly bytes: number;
  /** The claim records the steps, so that a failed one can be reverted. */
  readonly isRecorded: boolean;
  /** The claim shows the size already, because another node was first: only this node is behind. */
  readonly isClaimDone: boolean;
}

const STORAGE = 'storage';
const RESIZE_CONDITIONS: ReadonlySet<string> = new Set([
  'Resizing',
  'FileSystemResizePending',
  'ControllerResizeError',
  'NodeResizeError',
]);

const NOT_ON_NODES = 'volume.kubernetes.io/node-expansion-not-required';

/** Undefined when the node has nothing to do. `sizeHere` is what the volume has on this node, where that is known. */
export function decideExpansion(
  volume: PersistentVolume,
  { metadata, spec, status }: PersistentVolumeClaim,
  sizeHere?: string,
): Expansion | undefined {
  const wanted = volume.spec.capacity?.[STORAGE];
  const current = status?.capacity?.[STORAGE];
  const isBehind = isLarger(wanted, current);
  if (wanted === undefined || !(isBehind || isLarger(wanted, sizeHere))) return undefined;
  const step = status?.allocatedResourceStatuses?.[STORAGE];
  const allocated = status?.allocatedResources?.[STORAGE];
  if (step === undefined && allocated === undefined)
    return toExpansion(wanted, { isRecorded: false, isClaimDone: !isBehind });
  const target = allocated ?? wanted;
  if (step === 'NodeResizePending' || step === 'NodeResizeInProgress')
    return toExpansion(target, { isRecorded: true, isClaimDone: false });
  // A volume that many nodes have has to grow on each of them.
  const isShared = spec.accessModes?.includes('ReadWriteMany') === true;
  const isDone = step === undefined && !isLarger(target, current);
  if (!isDone || !isShared || metadata.annotations?.[NOT_ON_NODES] !== undefined) return undefined;
  return toExpansion(target, { isRecorded: true, isClaimDone: true });
}

/** The volume must be expanded, which a read-only mount does not allow. */
export function isTooSmall({ spec }: PersistentVolume, { status }: PersistentVolumeClaim): boolean {
  return isLarger(spec.capacity?.[STORAGE], status?.capacity?.[STORAGE]);
}

/** The claim was changed after the expansion began: its controller has to find a feasible size. */
export function isOtherSizeAsked({ spec }: PersistentVolumeClaim, { size }: Expansion): boolean {
  const [asked, target] = [
    tryParseQuantity(spec.resources?.requests?.[STORAGE] ?? ''),
    tryParseQuantity(size),
  ];
  return asked !== undefined && target !== undefined && compareQuantities(asked, target) !== 0;
}

/** The claim's status while the driver works. */
export function toStartedPatch(claim: PersistentVolumeClaim): object {
  return patch(claim, { allocatedResourceStatuses: { [STORAGE]: 'NodeResizeInProgress' } });
}

/** The claim shows the new size and none of the steps. */
export function toGrownPatch(claim: PersistentVolumeClaim, { size, isRecorded }: Expansion): object {
  const conditions = (claim.status?.conditions ?? []).filter(({ type }) => !RESIZE_CONDITIONS.has(type));
  return patch(claim, {
    capacity: { [STORAGE]: size },
    ...(isRecorded ? { allocatedResourceStatuses: { [STORAGE]: null } } : {}),
    conditions,
  });
}

/** `isInfeasible`: the driver will never do it, so that the controller may try a smaller size. */
export function toFailedPatch(
  claim: PersistentVolumeClaim,
  why: string,
  isInfeasible: boolean,
  now: string,
): object {
  const others = (claim.status?.conditions ?? []).filter(({ type }) => type !== 'NodeResizeError');
  const message = `failed to expand pvc with ${why}`;
  const condition = { type: 'NodeResizeError', status: 'True', lastTransitionTime: now, message };
  return {
    status: {
      ...(isInfeasible ? { allocatedResourceStatuses: { [STORAGE]: 'NodeResizeInfeasible' } } : {}),
      conditions: [...others, condition],
    },
  };
}

/** Applies only if the claim was not changed in between. */
function patch({ metadata: { resourceVersion } }: PersistentVolumeClaim, status: object): object {
  return { ...(resourceVersion === undefined ? {} : { metadata: { resourceVersion } }), status };
}

function toExpansion(
  size: string,
  how: Pick<Expansion, 'isRecorded' | 'isClaimDone'>,
): Expansion | undefined {
  const quantity = tryParseQuantity(size);
  return quantity === undefined ? undefined : { size, bytes: quantityToBytes(quantity), ...how };
}

/** An unknown size is no reason to change anything. */
function isLarger(wanted: string | undefined, current: string | undefined): wanted is string {
  const [a, b] = [tryParseQuantity(wanted ?? ''), tryParseQuantity(current ?? '')];
  return a !== undefined && b !== undefined && compareQuantities(a, b) > 0;
}
