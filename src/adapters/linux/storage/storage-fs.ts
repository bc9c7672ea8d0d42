/**
 * Node's file calls for places that may not answer: volumes, what containers
 * mount of them, what is removed below a mount, and whatever lies beside. The
 * same names and answers as `node:fs/promises`; each call has a time limit,
 * and those of one server have few of the process's threads (storage-calls.ts).
 * Rooms that work with volumes have no other file calls (scripts/check-layers.ts).
 */
import type { Dir, Dirent } from 'node:fs';
import { constants, lstatSync, opendirSync, readFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import * as fs from 'node:fs/promises';
import { readMountTableNow } from '../mountinfo.ts';
import { startTimer } from '../start-timer.ts';
import { toCallWidths } from './call-widths.ts';
import { StorageCalls } from './storage-calls.ts';
import { type StorageMount, StorageMounts } from './storage-mounts.ts';

const TIMEOUT_MS = 30_000;
/** As many as Node fetches with one call of the system. */
const ENTRIES_AT_ONCE = 32;
/** Refers to a thing without opening it; Node has no name for the flag. */
export const O_PATH = 0o10000000;

const storageMounts = new StorageMounts({
  now: () => performance.now(),
  readTable: readMountTableNow,
  readLink: (path) =>
    storageCalls
      .run({ verb: 'read link', path, mount: undefined, run: () => fs.readlink(path) })
      .catch(() => undefined),
});

export const storageCalls = new StorageCalls({
  clock: { steady: () => performance.now(), startTimer },
  widths: toCallWidths(process.env['UV_THREADPOOL_SIZE']),
  timeoutMs: TIMEOUT_MS,
  isMounted: (device) => storageMounts.isMounted(device),
});

/** After a mount or an unmount: the next call finds the file system it goes to. */
export function noticeMounts(): void {
  storageMounts.expire();
}

/** After an unmount, by the real name of the place. */
export function noticeUnmount(path: string): void {
  storageMounts.expireAt(path);
}

const DESCRIPTORS = '/proc/self/fd/';

interface Place {
  /** For people. */
  readonly shown: string;
  /** Without links, as far as they are known. */
  readonly real: string;
}

/** Of descriptors that were opened here: a path through one means the place behind it, whose number is soon another's. */
const openPlaces = new Map<number, Place>();
/** Files that could not be closed yet. */
const unclosed = new Map<FileHandle, Place>();

export const stat = limited('stat', fs.stat);
export const lstat = limited('lstat', fs.lstat);
export const statfs = limited('statfs', fs.statfs);
export const access = limited('look at', fs.access);
export const realpath = limited('resolve', fs.realpath);
export const readlink = limited('read link', fs.readlink);
export const readdir = limited('list', fs.readdir);
export const readFile = limited('read', fs.readFile);
export const writeFile = limited('write', fs.writeFile);
export const mkdir = limited('make', fs.mkdir);
export const rmdir = limited('remove', fs.rmdir);
export const unlink = limited('remove', fs.unlink);
export const rename = limited('rename', fs.rename);
export const chmod = limited('chmod', fs.chmod);
export const chown = limited('chown', fs.chown);
export const lchown = limited('chown', fs.lchown);

export function symlink(target: string, path: string): Promise<void> {
  return callAt('link', path, () => fs.symlink(target, path));
}

export async function open(
  path: string | Buffer,
  flags?: string | number,
  mode?: number,
): Promise<FileHandle> {
  const place = await locate(path);
  // Closing a file may ask its server, closing a directory or a mere reference does not.
  const asks = typeof flags !== 'number' || (flags & (constants.O_DIRECTORY | O_PATH)) === 0;
  const discard = (late: FileHandle): void => void closeHandle(late, place, asks).catch(() => {});
  const handle = await call('open', place, () => fs.open(path, flags, mode), discard);
  openPlaces.set(handle.fd, place);
  return limitHandle(handle, place, asks);
}

export async function opendir(path: string, options?: Parameters<typeof fs.opendir>[1]): Promise<Entries> {
  const opened = path.startsWith(DESCRIPTORS) ? locateInside(path) : undefined;
  // A directory that is open already: no disk is asked.
  if (opened !== undefined && isOwn(opened) && path.endsWith('/'))
    return new Entries(opendirSync(path, options), opened);
  const place = await locate(path);
  const discard = (late: Dir): void => void late.close().catch(() => {});
  return new Entries(await call('open', place, () => fs.opendir(path, options), discard), place);
}

/** The entries of a directory, read under the same limits. */
export class Entries {
  readonly #directory: Dir;
  readonly #place: Place;
  #isReading = false;

  constructor(directory: Dir, place: Place) {
    this.#directory = directory;
    this.#place = place;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Dirent> {
    try {
      for (;;) {
        const entries = await call('list', this.#place, () => this.#readSome());
        yield* entries;
        if (entries.length < ENTRIES_AT_ONCE) return;
      }
    } finally {
      await this.#close();
    }
  }

  async #close(): Promise<void> {
    // At once on the machine's own disks; some file servers are asked when a directory is closed.
    if (!this.#isReading && isOwn(this.#place)) return this.#directory.closeSync();
    const closed = this.#directory.close();
    // Node closes after the read, which may have been given up: the limit holds for the caller.
    if (this.#isReading) closed.catch(() => {});
    else await closed;
  }

  /** Fewer than asked for only at the end. */
  async #readSome(): Promise<readonly Dirent[]> {
    const entries: Dirent[] = [];
    this.#isReading = true;
    try {
      let entry = await this.#directory.read();
      // The first call has fetched all of these: on the machine's own disks only the end of the directory is left to see.
      const isAtOnce = isOwn(this.#place);
      while (entry !== null) {
        entries.push(entry);
        if (entries.length === ENTRIES_AT_ONCE) break;
        entry = isAtOnce ? this.#directory.readSync() : await this.#directory.read();
      }
    } finally {
      this.#isReading = false;
    }
    return entries;
  }
}

/** Whether a file system that may not answer is mounted at the place, which is not looked at. */
export async function isMountedAt(path: string): Promise<boolean> {
  const { real } = await locate(path);
  return storageMounts.find(real)?.path === real;
}

/**
 * Whether a directory, no link, lies where one lay a moment ago. At once: the kernel still has its name in its
 * memory. False where a file system may not answer, which is not asked.
 */
export async function isDirectoryNow(path: string): Promise<boolean> {
  if (!isOwn(await locate(path))) return false;
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}

/** The mount that an open directory is in. At once: the kernel answers out of its memory. */
export function readMountId({ fd }: Pick<FileHandle, 'fd'>): string {
  const text = readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8');
  return /^mnt_id:\s*(\d+)$/m.exec(text)?.[1] ?? 'unknown';
}

/** The call with its own type and its limits. */
function limited<F extends (path: never, ...rest: never[]) => Promise<unknown>>(verb: string, one: F): F {
  const run = (path: string | Buffer, ...rest: unknown[]): Promise<unknown> =>
    callAt(verb, path, () => one(path as never, ...(rest as never[])));
  return run as unknown as F;
}

function callAt<T>(verb: string, path: string | Buffer, run: () => Promise<T>): Promise<T> {
  const place = locate(path);
  return place instanceof Promise ? place.then((found) => call(verb, found, run)) : call(verb, place, run);
}

function call<T>(
  verb: string,
  { shown, real }: Place,
  run: () => Promise<T>,
  discard?: (late: T) => void,
): Promise<T> {
  const mount: StorageMount | undefined = storageMounts.find(real);
  return storageCalls.run({ verb, path: shown, mount, run, discard });
}

/** Calls on the handle have the same limits. */
function limitHandle(handle: FileHandle, place: Place, closingAsks: boolean): FileHandle {
  const { fd } = handle;
  let unanswered = 0;
  const close = async (): Promise<void> => {
    if (openPlaces.get(fd) === place) openPlaces.delete(fd);
    // Node closes after the last of these, which may have been given up: the limit holds for the caller.
    if (unanswered > 0 && closesDirectly(place, closingAsks)) void handle.close().catch(() => {});
    else await closeHandle(handle, place, closingAsks);
  };
  const counted = async (run: () => unknown): Promise<unknown> => {
    unanswered++;
    try {
      return await run();
    } finally {
      unanswered--;
    }
  };
  return new Proxy(handle, {
    get(target, key) {
      if (key === 'close' || key === Symbol.asyncDispose) return close;
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) =>
        call(String(key), place, () => counted(() => Reflect.apply(value, target, given)));
    },
  });
}

/** Without a call that has limits of its own. */
function closesDirectly(place: Place, asks: boolean): boolean {
  return !asks || isOwn(place);
}

/** On the machine's own file systems. */
function isOwn({ real }: Place): boolean {
  return storageMounts.find(real) === undefined;
}

/** One whose server does not answer is closed when it does. */
async function closeHandle(handle: FileHandle, place: Place, asks: boolean): Promise<void> {
  if (closesDirectly(place, asks)) return handle.close();
  let isBegun = false;
  const run = (): Promise<void> => {
    isBegun = true;
    return handle.close();
  };
  try {
    await call('close', place, run);
  } catch (error) {
    if (!isBegun) unclosed.set(handle, place);
    throw error;
  }
}

storageCalls.onChange(() => {
  const waiting = [...unclosed];
  unclosed.clear();
  for (const [handle, place] of waiting) closeHandle(handle, place, true).catch(() => {});
});

/** Paths through an open descriptor as paths of what it was opened at. */
function locate(path: string | Buffer): Place | Promise<Place> {
  const shown = String(path);
  const opened = shown.startsWith(DESCRIPTORS) ? locateInside(shown) : undefined;
  if (opened !== undefined) return opened;
  const real = storageMounts.resolve(shown);
  return typeof real === 'string' ? { shown, real } : real.then((found) => ({ shown, real: found }));
}

function locateInside(path: string): Place | undefined {
  const fd = Number.parseInt(path.slice(DESCRIPTORS.length), 10);
  const opened = openPlaces.get(fd);
  if (opened === undefined) return undefined;
  const rest = path.slice(`${DESCRIPTORS}${fd}`.length);
  return { shown: extend(opened.shown, rest), real: extend(opened.real, rest) };
}

function extend(place: string, rest: string): string {
  return place === '/' && rest !== '' ? rest : `${place}${rest}`;
}
