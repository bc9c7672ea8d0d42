/** SELinux labels of volumes of storage drivers, on a node that has SELinux. */
import { accept, type Outcome } from '../../base/outcome.ts';
import type { CsiDriverSpec } from '../../core/api/storage.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { toMountContext } from '../../core/volume/mount-context.ts';
import type { VolumeRequest } from '../../ports/storage/volume-driver.ts';
import { readContainerFileContext } from '../linux/machine/selinux-contexts.ts';
import { findCoveringMount, parseMountinfo, readMountTable } from '../linux/mountinfo.ts';

/** How labels are found; each has a default. */
export interface SelinuxReaders {
  /** The kernel's mount table; default: `/proc/self/mountinfo`. */
  readonly readMounts?: () => Promise<string>;
  /** The SELinux label for files of containers; default: from the policy of the node. */
  readonly readFileContext?: () => Promise<string | undefined>;
}

export interface CsiSelinuxParts {
  readonly node: Pick<NodeProfile, 'selinuxEnabled'>;
  readonly selinux?: SelinuxReaders;
}

/** The label of the whole volume, where its driver takes one. */
export async function readMountContext(
  { node, selinux }: CsiSelinuxParts,
  { pod, volume, persistent }: VolumeRequest,
  driver: CsiDriverSpec | undefined,
): Promise<Outcome<string | undefined>> {
  if (!node.selinuxEnabled || driver?.seLinuxMount !== true) return accept(undefined);
  const readFileContext = selinux?.readFileContext ?? readContainerFileContext;
  return toMountContext({ pod, volume, persistent, fileContext: await readFileContext() });
}

/** Not every file system of a driver can carry labels; on a node without SELinux it does not matter. */
export async function takesLabels({ node, selinux }: CsiSelinuxParts, path: string): Promise<boolean> {
  if (!node.selinuxEnabled) return true;
  const readMounts = selinux?.readMounts ?? readMountTable;
  const mount = findCoveringMount(parseMountinfo(await readMounts()), path);
  return mount?.superOptions.includes('seclabel') === true;
}
