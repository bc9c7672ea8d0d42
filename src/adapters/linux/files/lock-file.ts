/**
 * A file that only one process holds at a time. The lock belongs to the open
 * file: the program that takes it for us ends, and it stays until we do.
 */
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { toHostError } from '../host-error.ts';
import { ProgramExit, runProgram } from '../program/run-program.ts';
import { PASSED_DESCRIPTOR } from '../program/start-program.ts';
import { open } from '../storage/storage-fs.ts';

const DESCRIPTOR = String(PASSED_DESCRIPTOR);
/** The exit code of the program when another process holds it. */
const HELD = 1;

/** Waits until no other process holds it. Close the result to release it. Rejects with AgentError. */
export async function holdLockFile(path: string, signal: AbortSignal): Promise<FileHandle> {
  return lock(path, ['-x', DESCRIPTOR], signal);
}

/** Undefined when another process holds it. Rejects with AgentError, also where the program is missing. */
export async function tryLockFile(path: string, signal: AbortSignal): Promise<FileHandle | undefined> {
  try {
    return await lock(path, ['-x', '-n', DESCRIPTOR], signal);
  } catch (error) {
    const { cause } = error as Error;
    if (cause instanceof ProgramExit && cause.status === HELD) return undefined;
    throw error;
  }
}

async function lock(path: string, args: readonly string[], signal: AbortSignal): Promise<FileHandle> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, constants.O_CREAT | constants.O_RDWR, 0o600);
    await runProgram('flock', args, 'lock', path, { descriptor: handle.fd, signal });
    return handle;
  } catch (error) {
    await handle?.close();
    throw toHostError('open lock file', path, error);
  }
}
