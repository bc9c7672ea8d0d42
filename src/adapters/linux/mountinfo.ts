/**
 * The mount table of the agent's mount namespace, as the kernel prints it in
 * `/proc/self/mountinfo`. Parsing only; who needs it reads the file.
 */

export interface MountPoint {
  /** Absolute, with every link resolved, as the kernel sees it. */
  readonly path: string;
  readonly fsType: string;
  /** Options of the file system itself, such as the controllers of a cgroup hierarchy. */
  readonly superOptions: readonly string[];
}

/** In the kernel's order: of two mounts on one place the later one is visible. */
export function parseMountinfo(text: string): MountPoint[] {
  return text.split('\n').flatMap((line) => {
    // id parent major:minor root path options [optional…] - fsType source superOptions
    const fields = line.split(' ');
    const dash = fields.indexOf('-', 6);
    const path = fields[4];
    const fsType = fields[dash + 1];
    if (dash < 0 || path === undefined || fsType === undefined) return [];
    return [{ path: unescapePath(path), fsType, superOptions: fields[dash + 3]?.split(',') ?? [] }];
  });
}

/** The mount points at `path` or below it, deepest last. */
export function findMountsBelow(mounts: readonly MountPoint[], path: string): string[] {
  const prefix = path.endsWith('/') ? path : `${path}/`;
  return mounts
    .map((mount) => mount.path)
    .filter((mountPath) => mountPath === path || mountPath.startsWith(prefix))
    .toSorted();
}

/** Blank, tab, line feed and backslash are printed as three octal digits. */
function unescapePath(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_match, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
