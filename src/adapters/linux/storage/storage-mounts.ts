/**
 * Which file system a call at a path goes to, as far as it may not answer: one
 * behind a network or another process, or a disk that is mounted for a volume.
 * The disks and the memory of the machine itself are one for this: when they
 * do not answer nothing does.
 *
 * The answer comes from the mount table and from links on the machine's own
 * disks; the file system in question is never asked.
 */
import { join } from 'node:path';
import { type MountPoint, parseMountinfo } from '../mountinfo.ts';

const NETWORK =
  /^(nfs|cifs|smb|ceph|9p|afs|lustre|gpfs|gfs|ocfs|glusterfs|beegfs|fuse$|fuse\.|fuseblk|virtiofs|autofs)/;
const MEMORY = /^(tmpfs|ramfs|hugetlbfs|devtmpfs|proc|sysfs)$/;
/** Where volumes are mounted, below whatever directory is the agent's. */
const VOLUME_PLACE = /\/pods\/[^/]+\/volume|\/plugins\//;
/** What the kernel itself shows, such as the automatic mount of binfmt_misc. */
const KERNEL_PLACE = /^\/(proc|sys|dev)\//;
/** The table is read again after this time, when something has to be found. */
const TABLE_AGE_MS = 250;
const LINKS_AGE_MS = 5_000;
const MAX_LINKS_KNOWN = 10_000;
/** As many as the kernel follows. */
const MAX_LINKS = 40;

export interface StorageMount extends Pick<MountPoint, 'path' | 'fsType' | 'source' | 'device'> {
  /** The same for all file systems that stop answering together. */
  readonly server: string;
}

export interface StorageMountsParts {
  readonly now: () => number;
  readonly readTable: () => string;
  /** Undefined for what is no link. */
  readonly readLink: (path: string) => Promise<string | undefined>;
}

/** Whether calls into a file system of this type may wait for a server or another process. */
export function mayHang(fsType: string): boolean {
  return NETWORK.test(fsType);
}

/** Whether a file system of this type is in the machine's memory: it always answers. */
export function isInMemory(fsType: string): boolean {
  return MEMORY.test(fsType);
}

export class StorageMounts {
  readonly #parts: StorageMountsParts;
  readonly #links = new Map<string, string | undefined>();
  #text = '';
  /** The deepest first. */
  #mounts: readonly StorageMount[] = [];
  #readAtMs = Number.NEGATIVE_INFINITY;
  #linksSinceMs = 0;

  constructor(parts: StorageMountsParts) {
    this.#parts = parts;
  }

  /** Something was mounted or unmounted. */
  expire(): void {
    this.#readAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Something was unmounted there; of other places than those of these file systems nothing follows from it. */
  expireAt(path: string): void {
    if (this.#mounts.some((mount) => mount.path === path)) this.expire();
  }

  /** By a path without links; undefined on the machine's own file systems. */
  find(path: string): StorageMount | undefined {
    this.#refresh();
    return this.#mounts.find(({ path: at }) => path === at || path.startsWith(at === '/' ? at : `${at}/`));
  }

  isMounted(device: string): boolean {
    this.#refresh();
    return this.#mounts.some((mount) => mount.device === device);
  }

  /** The path with its links resolved, as far as that asks none of these file systems. */
  resolve(path: string): string | Promise<string> {
    this.#refresh();
    return this.#mounts.length === 0 ? path : this.#follow(path);
  }

  async #follow(path: string): Promise<string> {
    const names = split(path);
    let place = '/';
    for (let links = 0; ; ) {
      const name = names.shift();
      if (name === undefined) return place;
      const next = join(place, name);
      if (this.find(next) !== undefined) return join(next, ...names);
      const target = name === '..' ? undefined : await this.#readLink(next);
      if (target === undefined) {
        place = next;
        continue;
      }
      if (++links > MAX_LINKS) return path;
      if (target.startsWith('/')) place = '/';
      names.unshift(...split(target));
    }
  }

  async #readLink(path: string): Promise<string | undefined> {
    if (this.#links.has(path)) return this.#links.get(path);
    const target = await this.#parts.readLink(path);
    if (this.#links.size >= MAX_LINKS_KNOWN) this.#links.clear();
    this.#links.set(path, target);
    return target;
  }

  #refresh(): void {
    const { now, readTable } = this.#parts;
    const nowMs = now();
    if (nowMs - this.#readAtMs < TABLE_AGE_MS) return;
    this.#readAtMs = nowMs;
    if (nowMs - this.#linksSinceMs >= LINKS_AGE_MS) {
      this.#links.clear();
      this.#linksSinceMs = nowMs;
    }
    const text = readTable();
    if (text === this.#text) return;
    this.#text = text;
    this.#mounts = mayNameStorage(text) ? findStorage(parseMountinfo(text)) : [];
  }
}

/** Quicker than reading it: a node has hundreds of mounts, nearly all of them its own, and they change with every pod. */
function mayNameStorage(table: string): boolean {
  return table.split('\n').some((line) => {
    const begin = line.indexOf(' - ') + 3;
    const fsType = line.slice(begin, line.indexOf(' ', begin));
    if (!mayHang(fsType)) return VOLUME_PLACE.test(line) && !isInMemory(fsType);
    return !KERNEL_PLACE.test(line.split(' ', 5)[4] ?? '');
  });
}

function findStorage(mounts: readonly MountPoint[]): StorageMount[] {
  const isOwn = ({ fsType, path }: MountPoint): boolean => !mayHang(fsType) && !VOLUME_PLACE.test(path);
  const own = new Set(mounts.filter(isOwn).map(({ device }) => device));
  return mounts
    .filter(({ fsType, path, device }) => {
      if (KERNEL_PLACE.test(path)) return false;
      return mayHang(fsType) || !(isInMemory(fsType) || own.has(device));
    })
    .map(({ path, fsType, source, device }) => ({
      ...{ path, fsType, source, device },
      server: toServer(fsType, source) ?? device,
    }))
    .toSorted((a, b) => b.path.length - a.path.length);
}

/** The machine that serves it, where the source says so: all that it serves falls silent with it. */
function toServer(fsType: string, source: string): string | undefined {
  const pattern = /^(cifs|smb)/.test(fsType) ? /^\/\/([^/]+)/ : /^nfs/.test(fsType) ? /^(.+):\// : undefined;
  const host = pattern?.exec(source)?.[1];
  return host === undefined ? undefined : `${fsType.slice(0, 3)} ${host}`;
}

function split(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}
