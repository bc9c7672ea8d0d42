/**
 * Node's file calls for places behind which there may be a network: volumes,
 * what containers mount of them, and what is removed below a mount. The same
 * names and answers as `node:fs/promises`; each call has a time limit and all
 * of them together at most half of the process's threads (storage-calls.ts).
 * Code that only touches the kubelet's own files uses `node:fs/promises`.
 */
import type { Dir, Dirent } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import * as fs from 'node:fs/promises';
import { StorageCalls } from './storage-calls.ts';

/** What libuv has when the environment does not say (bin/kubelet does). */
const DEFAULT_THREADS = 4;
const TIMEOUT_MS = 30_000;

export const storageCalls = new StorageCalls({
  clock: {
    now: () => Date.now(),
    startTimer: (delayMs, run) => {
      const timer = setTimeout(run, delayMs);
      return { [Symbol.dispose]: () => clearTimeout(timer) };
    },
  },
  width: Math.max(1, Math.floor(countThreads(process.env['UV_THREADPOOL_SIZE']) / 2)),
  timeoutMs: TIMEOUT_MS,
});

/** Of descriptors that were opened here: a path through one means the place behind it, whose number is soon another's. */
const openPlaces = new Map<number, string>();

export const stat = limited('stat', fs.stat);
export const lstat = limited('lstat', fs.lstat);
export const statfs = limited('statfs', fs.statfs);
export const realpath = limited('resolve', fs.realpath);
export const readdir = limited('list', fs.readdir);
export const mkdir = limited('make', fs.mkdir);
export const rmdir = limited('remove', fs.rmdir);
export const unlink = limited('remove', fs.unlink);
export const rename = limited('rename', fs.rename);
export const chmod = limited('chmod', fs.chmod);
export const chown = limited('chown', fs.chown);
export const lchown = limited('chown', fs.lchown);

export async function open(
  path: string | Buffer,
  flags?: string | number,
  mode?: number,
): Promise<FileHandle> {
  const place = toPlace(path);
  const discard = (late: FileHandle): void => void late.close().catch(() => {});
  const handle = await storageCalls.run({
    verb: 'open',
    path: place,
    run: () => fs.open(path, flags, mode),
    discard,
  });
  openPlaces.set(handle.fd, place);
  return limitHandle(handle, place);
}

export async function opendir(path: string, options?: Parameters<typeof fs.opendir>[1]): Promise<Entries> {
  const place = toPlace(path);
  const discard = (late: Dir): void => void late.close().catch(() => {});
  const run = (): Promise<Dir> => fs.opendir(path, options);
  return new Entries(await storageCalls.run({ verb: 'open', path: place, run, discard }), place);
}

/** The entries of a directory, read under the same limits. */
export class Entries {
  readonly #directory: Dir;
  readonly #place: string;

  constructor(directory: Dir, place: string) {
    this.#directory = directory;
    this.#place = place;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Dirent> {
    const run = (): Promise<Dirent | null> => this.#directory.read();
    try {
      for (;;) {
        const entry = await storageCalls.run({ verb: 'list', path: this.#place, run });
        if (entry === null) return;
        yield entry;
      }
    } finally {
      await this.#directory.close();
    }
  }
}

/** The call with its own type and its limits. */
function limited<F extends (path: never, ...rest: never[]) => Promise<unknown>>(verb: string, call: F): F {
  const run = (path: string | Buffer, ...rest: unknown[]): Promise<unknown> =>
    storageCalls.run({
      verb,
      path: toPlace(path),
      run: () => call(path as never, ...(rest as never[])),
    });
  return run as unknown as F;
}

/** Calls on the handle have the same limits; closing it has none, it asks no server. */
function limitHandle(handle: FileHandle, place: string): FileHandle {
  const { fd } = handle;
  const close = async (): Promise<void> => {
    if (openPlaces.get(fd) === place) openPlaces.delete(fd);
    await handle.close();
  };
  return new Proxy(handle, {
    get(target, key) {
      if (key === 'close' || key === Symbol.asyncDispose) return close;
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) =>
        storageCalls.run({
          verb: String(key),
          path: place,
          run: async () => Reflect.apply(value, target, given),
        });
    },
  });
}

/** Paths through an open descriptor as paths of what it was opened at. */
function toPlace(path: string | Buffer): string {
  const [whole, fd = '', rest = ''] = /^\/proc\/self\/fd\/(\d+)(.*)$/s.exec(String(path)) ?? [String(path)];
  const opened = openPlaces.get(Number(fd));
  return fd === '' || opened === undefined ? whole : `${opened}${rest}`;
}

function countThreads(text: string | undefined): number {
  return text !== undefined && /^[1-9]\d{0,3}$/.test(text) ? Number(text) : DEFAULT_THREADS;
}
