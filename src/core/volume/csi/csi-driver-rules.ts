/**
 * What the CSIDriver object of a driver asks of the node; a driver without
 * one gets the defaults.
 */

import { quote } from '../../../base/text/quote.ts';
import type { CsiDriverSpec, CsiLifecycleMode, VolumeAttachment } from '../../api/storage.ts';

/** Whether a persistent volume must be attached to the node first. */
export function needsAttach(driver: CsiDriverSpec | undefined): boolean {
  return driver?.attachRequired !== false;
}

/** The gRPC code of an attacher that has no room. */
const RESOURCE_EXHAUSTED = 8;

/**
 * Whether the node has reached the volume limit of the driver, so that a pod
 * that needs one more would never start. Only for drivers that update their
 * limit periodically: otherwise the scheduler would not see the new limit.
 */
export function isNodeFull(
  driver: CsiDriverSpec | undefined,
  attachment: VolumeAttachment | undefined,
): boolean {
  const updatesLimits = (driver?.nodeAllocatableUpdatePeriodSeconds ?? 0) > 0;
  return updatesLimits && attachment?.status?.attachError?.errorCode === RESOURCE_EXHAUSTED;
}

/** Why the driver does not serve such volumes; undefined when it does. */
export function findModeProblem(
  driverName: string,
  driver: CsiDriverSpec | undefined,
  mode: CsiLifecycleMode,
): string | undefined {
  const refused = `volume mode ${quote(mode)} not supported by driver ${driverName}`;
  if (driver === undefined) return mode === 'Persistent' ? undefined : `${refused} (no CSIDriver object)`;
  const modes = driver.volumeLifecycleModes ?? ['Persistent'];
  if (modes.includes(mode)) return undefined;
  return `${refused} (only supports [${modes.map((one) => quote(one)).join(' ')}])`;
}

export interface GroupQuestion {
  readonly fsGroup: number | undefined;
  readonly readOnly: boolean;
  readonly fsType: string;
  /** Undefined for a volume of the pod itself. */
  readonly accessModes: readonly string[] | undefined;
  /** The driver sets the group itself. */
  readonly driverSetsGroup: boolean;
}

/** Whether the agent gives the files of a volume to the pod's group. */
export function agentSetsGroup(driver: CsiDriverSpec | undefined, question: GroupQuestion): boolean {
  const { fsGroup, readOnly, fsType, accessModes, driverSetsGroup } = question;
  if (fsGroup === undefined || readOnly || driverSetsGroup) return false;
  const policy = driver?.fsGroupPolicy ?? 'ReadWriteOnceWithFSType';
  if (policy === 'None') return false;
  if (policy === 'File') return true;
  if (fsType === '') return false;
  return (
    accessModes === undefined ||
    accessModes.includes('ReadWriteOnce') ||
    accessModes.includes('ReadWriteOncePod')
  );
}
