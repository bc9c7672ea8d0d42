/**
 * Growing a volume on the node, after whoever manages it has grown it: when
 * to ask the driver, and what the claim says before and after. The claim's
 * status is the memory of it: a node that starts anew reads there how far it
 * came.
 */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/persistent-volume.ts';
import { compareQuantities, quantityToBytes, tryParseQuantity } from '../../api/quantity.ts';

export interface Expansion {
  /** As the claim is to show it. */
  readonly size: string;
  readonly bytes: number;
  /** The claim keeps a record of the steps, so that a failed one can be taken back. */
  readonly isRecorded: boolean;
}

const STORAGE = 'storage';
const RESIZE_CONDITIONS: ReadonlySet<string> = new Set([
  'Resizing',
  'FileSystemResizePending',
  'ControllerResizeError',
  'NodeResizeError',
]);

/** Undefined when the node has nothing to do. */
export function decideExpansion(
  volume: PersistentVolume,
  { status }: PersistentVolumeClaim,
): Expansion | undefined {
  const wanted = volume.spec.capacity?.[STORAGE];
  const current = status?.capacity?.[STORAGE];
  if (!isLarger(wanted, current)) return undefined;
  const step = status?.allocatedResourceStatuses?.[STORAGE];
  const allocated = status?.allocatedResources?.[STORAGE];
  if (step === undefined && allocated === undefined) return toExpansion(wanted, false);
  const isOurs = step === 'NodeResizePending' || step === 'NodeResizeInProgress';
  return isOurs ? toExpansion(allocated ?? wanted, true) : undefined;
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

/** `isInfeasible`: the driver will never do it, so that whoever manages the volume may try a smaller size. */
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

/** Only when nobody else has changed the claim meanwhile. */
function patch({ metadata: { resourceVersion } }: PersistentVolumeClaim, status: object): object {
  return { ...(resourceVersion === undefined ? {} : { metadata: { resourceVersion } }), status };
}

function toExpansion(size: string, isRecorded: boolean): Expansion | undefined {
  const quantity = tryParseQuantity(size);
  return quantity === undefined ? undefined : { size, bytes: quantityToBytes(quantity), isRecorded };
}

/** A size that nobody knows is no reason to change anything. */
function isLarger(wanted: string | undefined, current: string | undefined): wanted is string {
  const [a, b] = [tryParseQuantity(wanted ?? ''), tryParseQuantity(current ?? '')];
  return a !== undefined && b !== undefined && compareQuantities(a, b) > 0;
}
