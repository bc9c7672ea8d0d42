/**
 * Which cgroup version the machine runs and where its hierarchies are,
 * read from the mount table. Pure; read once at start.
 */
import type { MountPoint } from '../mountinfo.ts';

const CGROUP_ROOT = '/sys/fs/cgroup';

export type CgroupLayout =
  | { readonly version: 2; readonly root: string }
  | {
      readonly version: 1;
      /** One directory per mounted hierarchy; `cpu,cpuacct` may share one. */
      readonly hierarchies: readonly CgroupHierarchy[];
      /** The version 2 tree some systems mount beside, without controllers. */
      readonly unified?: string;
    };

export interface CgroupHierarchy {
  readonly directory: string;
  /** Such as `cpu`, `memory` or `name=systemd`. */
  readonly controllers: readonly string[];
}

/** Options of a cgroup mount that are not controllers. */
const MOUNT_OPTIONS: ReadonlySet<string> = new Set([
  'rw',
  'ro',
  'noprefix',
  'xattr',
  'clone_children',
  'all',
  'none',
]);

/** Version 2 when the usual place is a version 2 tree, else version 1 with whatever is mounted. */
export function parseCgroupLayout(mounts: readonly MountPoint[], root: string = CGROUP_ROOT): CgroupLayout {
  if (mounts.findLast((mount) => mount.path === root)?.fsType === 'cgroup2') return { version: 2, root };
  const below = mounts.filter((mount) => mount.path.startsWith(`${root}/`));
  const unified = below.find((mount) => mount.fsType === 'cgroup2')?.path;
  const hierarchies = below
    .filter((mount) => mount.fsType === 'cgroup')
    .map((mount) => ({ directory: mount.path, controllers: toControllers(mount.superOptions) }));
  return { version: 1, hierarchies, ...(unified === undefined ? {} : { unified }) };
}

/** Controllers that version 1 must have mounted; sorted. */
const REQUIRED_V1 = ['cpu', 'cpuacct', 'cpuset', 'memory'];

/** Why a node cannot run on this layout; undefined when it can. */
export function findLayoutProblem(layout: CgroupLayout): string | undefined {
  if (layout.version === 2) return undefined;
  const mounted = new Set(layout.hierarchies.flatMap(({ controllers }) => controllers));
  const missing = REQUIRED_V1.filter((controller) => !mounted.has(controller));
  if (missing.length === 0) return undefined;
  return `system validation failed - Following Cgroup subsystem not mounted: [${missing.join(' ')}]`;
}

function toControllers(superOptions: readonly string[]): string[] {
  return superOptions.filter(
    (option) => !MOUNT_OPTIONS.has(option) && (option.startsWith('name=') || !option.includes('=')),
  );
}
