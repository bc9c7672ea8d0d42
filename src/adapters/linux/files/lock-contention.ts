/**
 * Notices that another process wants a lock file that this one holds. The
 * kernel lists who waits for a lock (`/proc/locks`); Node cannot be notified of
 * it, so the list is read once a second.
 */
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, sleep } from '../../../base/async/clock.ts';
import { AgentError } from '../../../base/errors.ts';
import { hasErrno, toHostError } from '../host-error.ts';
import { readFile, stat } from '../storage/storage-fs.ts';

const LOOK_MS = 1_000;

export interface LockContentionParts {
  readonly clock: Clock;
  readonly processes?: string;
}

/** Why the lock should be let go. */
export type LockContention = 'wanted' | 'removed';

/** A lock of this process, as the kernel lists it. */
export interface HeldLock {
  readonly path: string;
  readonly place: string;
  readonly dev: number;
  readonly ino: number;
}

/** Rejects with AgentError where the kernel does not list the lock: then it cannot be watched. */
export async function findHeldLock(held: FileHandle, path: string, processes = '/proc'): Promise<HeldLock> {
  const { dev, ino } = await held.stat();
  const place = parseLockPlace(await readProc(join(processes, 'self/fdinfo', String(held.fd))));
  if (place !== undefined) return { path, place, dev, ino };
  const what = `cannot watch lock file ${JSON.stringify(path)}`;
  throw new AgentError('failed-precondition', `${what}: the kernel does not list its lock`);
}

/**
 * Resolves when another process waits for the lock, or when its file is no
 * longer at its path, so that another process would lock another file;
 * undefined when `stop` aborts first. Rejects with AgentError.
 */
export async function waitForContention(
  { path, place, dev, ino }: HeldLock,
  { clock, processes = '/proc' }: LockContentionParts,
  stop: AbortSignal,
): Promise<LockContention | undefined> {
  while (!stop.aborted) {
    if (hasWaiter(await readProc(join(processes, 'locks')), place)) return 'wanted';
    const found = await readInode(path);
    if (found?.ino !== ino || found.dev !== dev) return 'removed';
    await sleep(clock, LOOK_MS, stop);
  }
  return undefined;
}

/** Where the lock of an open file is, as the kernel writes it (`fe:00:9979456`). */
export function parseLockPlace(fdinfo: string): string | undefined {
  return /^lock:\s+\d+: FLOCK\s+\S+\s+\S+\s+-?\d+ (\S+) /m.exec(fdinfo)?.[1];
}

/** Whether a process waits for a lock of that place. */
export function hasWaiter(locks: string, place: string): boolean {
  return locks.split('\n').some((line) => {
    const [, arrow, kind, , , , at] = line.trim().split(/\s+/);
    return arrow === '->' && kind === 'FLOCK' && at === place;
  });
}

async function readProc(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw toHostError('read', path, error);
  }
}

async function readInode(path: string): Promise<Pick<HeldLock, 'dev' | 'ino'> | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw toHostError('look at lock file', path, error);
  }
}
