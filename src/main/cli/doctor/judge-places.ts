/** Directories and disks of a kubelet: room, owner, rights. Pure. */
import { dirname } from 'node:path';
import { parseThresholdValue, toThresholdAmount } from '../../../core/eviction/threshold.ts';
import type { VolumeUsage } from '../../../core/volume/volume-usage.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

export interface DiskFacts {
  /** `root dir`, `pod logs`, `images`. */
  readonly name: string;
  readonly path: string;
  readonly usage: VolumeUsage;
  readonly isReadOnly: boolean;
  /** Values of evictionHard for bytes and inodes, such as `10%`; undefined when none is watched. */
  readonly hard: { readonly bytes: string | undefined; readonly inodes: string | undefined };
}

const GIB = 1024 ** 3;
/** This near to a threshold is worth a word. */
const NEAR = 1.5;

export function judgeDisk({ name, path, usage, isReadOnly, hard }: DiskFacts): Finding {
  const subject = `disk: ${name}`;
  const { availableBytes, capacityBytes, inodesFree, inodes } = usage;
  const percent = capacityBytes === 0 ? 0 : Math.floor((availableBytes / capacityBytes) * 100);
  const room = `${(availableBytes / GIB).toFixed(1)}Gi free (${percent} %) at ${path}`;
  if (isReadOnly)
    return problem(
      subject,
      `${path} is mounted read-only`,
      'mount -o remount,rw, after a look at dmesg for errors of the disk',
    );
  const free = 'free some: kubelet images --plan shows what a collection would delete; du -x shows the rest';
  const bytesLeast = toAmount(hard.bytes, capacityBytes);
  if (availableBytes < bytesLeast)
    return problem(subject, `${room}, below the limit of ${hard.bytes}: the kubelet evicts pods`, free);
  // Some file systems have no fixed number of inodes and say 0.
  const inodesLeast = toAmount(hard.inodes, inodes);
  if (inodes > 0 && inodesFree < inodesLeast)
    return problem(
      subject,
      `${inodesFree} of ${inodes} inodes free at ${path}, below the limit of ${hard.inodes}: the kubelet evicts pods`,
      'remove small files, or make the file system again with more inodes',
    );
  if (availableBytes < bytesLeast * NEAR)
    return warning(
      subject,
      `${room}, near the limit of ${hard.bytes} at which the kubelet evicts pods`,
      free,
    );
  return ok(subject, inodes > 0 ? `${room}, ${inodesFree} inodes` : room);
}

function toAmount(text: string | undefined, capacity: number): number {
  return text === undefined ? 0 : toThresholdAmount(parseThresholdValue(text), capacity);
}

export interface DirectoryFacts {
  readonly path: string;
  readonly isDirectory: boolean;
  readonly userId: number;
  /** With the bits of the kind. */
  readonly mode: number;
}

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
/** What a socket's path may have at most. */
const MAX_SOCKET_BYTES = 107;

export interface RootFacts {
  readonly path: string;
  readonly socketPath: string;
  /** The directory and those above it, as far as they exist. */
  readonly directories: readonly DirectoryFacts[];
}

/** Links of others could lead the kubelet elsewhere, and it writes as root. */
export function judgeRootDirectory({ path, socketPath, directories }: RootFacts): Finding {
  const subject = 'root directory';
  const length = Buffer.byteLength(socketPath);
  if (length > MAX_SOCKET_BYTES)
    return problem(
      subject,
      `${path} is too long: the path of its socket has ${length} bytes, and ${MAX_SOCKET_BYTES} are possible`,
      'choose a shorter --root-dir',
    );
  const file = directories.find(({ isDirectory }) => !isDirectory);
  if (file !== undefined)
    return problem(subject, `${file.path} is no directory`, `move it away: mv ${file.path} ${file.path}.old`);
  const foreign = directories.find(({ userId }) => userId !== 0);
  if (foreign !== undefined)
    return problem(
      subject,
      `${foreign.path} belongs to user ${foreign.userId}, who can change what is in it`,
      `chown root:root ${foreign.path}`,
    );
  const open = directories.find(({ mode }) => (mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0);
  if (open !== undefined)
    return problem(
      subject,
      `others than root may write to ${open.path} (mode ${(open.mode & 0o7777).toString(8)})`,
      `chmod go-w ${open.path}`,
    );
  const isThere = directories.some((one) => one.path === path);
  return ok(
    subject,
    isThere
      ? `${path} belongs to root`
      : `${path} is made at the first start, in ${directories[0]?.path ?? dirname(path)}`,
  );
}
