/**
 * What fsGroup does to the files of a volume: the group, group access and,
 * for directories, the bit that hands the group on to new files.
 */
import type { Pod } from '../api/pod.ts';

export interface Ownership {
  readonly fsGroup: number;
  readonly readOnly: boolean;
  readonly policy: 'Always' | 'OnRootMismatch';
}

const SET_GID = 0o2000;
const PERMISSIONS = 0o7777;

/** The ownership for a volume of the pod; undefined when it sets no group. `honoursPolicy` only where upstream does. */
export function toOwnership(pod: Pod, readOnly: boolean, honoursPolicy = false): Ownership | undefined {
  const { fsGroup, fsGroupChangePolicy } = pod.spec.securityContext ?? {};
  if (fsGroup === undefined) return undefined;
  const onMismatch = honoursPolicy && fsGroupChangePolicy === 'OnRootMismatch';
  return { fsGroup, readOnly, policy: onMismatch ? 'OnRootMismatch' : 'Always' };
}

/** The permission bits after the change; bits are only added. */
export function computeGroupMode(mode: number, isDirectory: boolean, readOnly: boolean): number {
  const access = readOnly ? 0o440 : 0o660;
  return (mode & PERMISSIONS) | access | (isDirectory ? 0o110 | SET_GID : 0);
}

/** True when the root of the volume shows that everything below was changed already: it is changed last. */
export function isSettled(
  root: { readonly gid: number; readonly mode: number; readonly isDirectory: boolean },
  { fsGroup, readOnly, policy }: Ownership,
): boolean {
  if (policy !== 'OnRootMismatch' || !root.isDirectory || root.gid !== fsGroup) return false;
  const wanted = (readOnly ? 0o550 : 0o770) | SET_GID;
  return (root.mode & wanted) === wanted;
}
