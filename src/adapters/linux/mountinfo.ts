/**
 * The mount table of the agent's mount namespace, as the kernel prints it in
 * `/proc/self/mountinfo`. Reading it asks no file system that is mounted.
 */
import { readFileSync } from 'node:fs';

const TABLE = '/proc/self/mountinfo';
/** Spelled in the table as it is. */
const PLAIN_PATH = /^[\w./~:-]*$/;

export interface MountPoint {
  readonly id: string;
  /** The mount that this one is mounted in. */
  readonly parentId: string;
  /** What is mounted below it appears in the mount namespaces that were copied from this one as well. */
  readonly isShared: boolean;
  /** Absolute, with every link resolved, as the kernel sees it. */
  readonly path: string;
  /** `major:minor` of the file system, the same for all places that show it. */
  readonly device: string;
  readonly fsType: string;
  /** The disk, or the server and its path; whatever the file system calls it. */
  readonly source: string;
  /** Options of the file system itself, such as the controllers of a cgroup hierarchy. */
  readonly superOptions: readonly string[];
}

export function readMountTable(): Promise<string> {
  return Promise.resolve().then(readMountTableNow);
}

/** At once: the kernel has it in its memory, and by way of another thread it would be five calls. */
export function readMountTableNow(): string {
  return readFileSync(TABLE, 'utf8');
}

/** In the kernel's order: of two mounts on one place the later one is visible. */
export function parseMountinfo(text: string): MountPoint[] {
  return text.split('\n').flatMap((line) => {
    // id parent major:minor root path options [optional…] - fsType source superOptions
    const fields = line.split(' ');
    const dash = fields.indexOf('-', 6);
    const [id = '', parentId = '', device = '', , path] = fields;
    const fsType = fields[dash + 1];
    if (dash < 0 || path === undefined || fsType === undefined) return [];
    const isShared = fields.slice(6, dash).some((field) => field.startsWith('shared:'));
    const superOptions = fields[dash + 3]?.split(',') ?? [];
    const source = unescapePath(fields[dash + 2] ?? '');
    return [{ id, parentId, isShared, path: unescapePath(path), device, fsType, source, superOptions }];
  });
}

/** The mount points at `path` or below it, deepest last. What a later mount has covered is out of reach and left out. */
export function findMountsBelow(mounts: readonly MountPoint[], path: string): string[] {
  const prefix = path.endsWith('/') ? path : `${path}/`;
  const isCovered = toIsCovered(mounts);
  return mounts
    .filter((mount) => mount.path === path || mount.path.startsWith(prefix))
    .filter((mount) => !isCovered(mount))
    .map((mount) => mount.path)
    .toSorted();
}

/** The same from the table itself, which is taken apart only when it has that path: a node has hundreds of mounts. */
export function listMountsBelow(text: string, path: string): string[] {
  if (PLAIN_PATH.test(path) && !text.includes(path)) return [];
  return findMountsBelow(parseMountinfo(text), path);
}

/** The type of what is mounted at `path`, without a look at the other mounts; undefined if it is not found so. */
export function findFsTypeAt(text: string, path: string): string | undefined {
  // Of two mounts on one place the later one is visible.
  const at = PLAIN_PATH.test(path) ? text.lastIndexOf(` ${path} `) : -1;
  if (at < 0) return undefined;
  const end = text.indexOf('\n', at);
  const fields = text.slice(text.lastIndexOf('\n', at) + 1, end < 0 ? undefined : end).split(' ');
  return fields[4] === path ? fields[fields.indexOf('-', 6) + 1] : undefined;
}

/** The mount that shows what is at `path`; undefined for an empty table. */
export function findCoveringMount(mounts: readonly MountPoint[], path: string): MountPoint | undefined {
  const covers = ({ path: at }: MountPoint): boolean =>
    at === path || path.startsWith(at.endsWith('/') ? at : `${at}/`);
  // Of two mounts on one place the later one is visible.
  return mounts
    .filter(covers)
    .toSorted((a, b) => a.path.length - b.path.length)
    .at(-1);
}

/** Other places where the same directory of the same device is mounted as at `path`; none when nothing is mounted there. */
export function findOtherMounts(text: string, path: string): string[] {
  const mounts = text.split('\n').map((line) => line.split(' '));
  const shown = mounts.findLast((fields) => unescapePath(fields[4] ?? '') === path);
  if (shown === undefined) return [];
  const [, , device, root] = shown;
  return mounts
    .filter((fields) => fields[2] === device && fields[3] === root)
    .map((fields) => unescapePath(fields[4] ?? ''))
    .filter((other) => other !== path);
}

/**
 * Whether a mount is out of reach: something else was mounted higher up afterwards, in the same mount or in one
 * that it is mounted in. No mount is looked at twice: chains of mounts may be long, and in a table that was read
 * while it changed a mount may be its own ancestor.
 */
function toIsCovered(mounts: readonly MountPoint[]): (mount: MountPoint) => boolean {
  const byId = new Map(mounts.map((mount) => [mount.id, mount]));
  const places = new Set(mounts.map((mount) => toPlace(mount.parentId, mount.path)));
  const known = new Map<MountPoint, boolean>();
  return (mount) => {
    const chain: MountPoint[] = [];
    let covered: boolean | undefined;
    for (let at: MountPoint | undefined = mount; at !== undefined; at = toParent(at, byId)) {
      covered = known.get(at);
      if (covered !== undefined) break;
      known.set(at, false);
      chain.push(at);
      covered = isHidden(at, places);
      if (covered) break;
    }
    for (const one of chain) known.set(one, covered === true);
    return covered === true;
  };
}

/** Undefined for a mount in the root of all. */
function toParent({ parentId }: MountPoint, byId: ReadonlyMap<string, MountPoint>): MountPoint | undefined {
  const parent = byId.get(parentId);
  return parent?.id === parent?.parentId ? undefined : parent;
}

/** Something is mounted above it in its own parent. */
function isHidden({ parentId, path }: MountPoint, places: ReadonlySet<string>): boolean {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
    if (places.has(toPlace(parentId, path.slice(0, end)))) return true;
  return false;
}

function toPlace(parentId: string, path: string): string {
  return `${parentId} ${path}`;
}

/** Blank, tab, line feed and backslash are printed as three octal digits. */
function unescapePath(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_match, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
