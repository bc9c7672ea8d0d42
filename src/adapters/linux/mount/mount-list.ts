/**
 * Several mounts as the list that `mount --all` reads, in the form of fstab(5).
 * Only what is spelled there as it is: all that the agent itself mounts in
 * memory, whose places are named by UIDs and volumes.
 */
import type { MountRequest } from '../../../ports/host/mounter.ts';

const PLAIN = /^[\w./~%+=:@-]+$/;

/** Whether the list can have it. */
export function fitsMountList({ source, target, options }: MountRequest): boolean {
  return (
    PLAIN.test(source) && target.startsWith('/') && [target, ...options].every((text) => PLAIN.test(text))
  );
}

export function renderMountList(mounts: readonly MountRequest[]): string {
  const lines = mounts.map(({ fsType, source, target, options }) => {
    const all = options.length === 0 ? 'defaults' : options.join(',');
    return `${source} ${target} ${fsType} ${all} 0 0\n`;
  });
  return lines.join('');
}
