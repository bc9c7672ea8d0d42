/**
 * A file that only one process holds at a time. The lock belongs to the open
 * file: the program that takes it for us ends, and it stays until we do.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { toHostError } from '../host-error.ts';
import { ProgramExit, runProgram } from '../program/run-program.ts';
import { PASSED_DESCRIPTOR } from '../program/start-program.ts';

const DESCRIPTOR = String(PASSED_DESCRIPTOR);
/** How the program says that somebody else holds it. */
const HELD = 1;

/** Waits until nobody else holds it. Close the result to let go. Rejects with AgentError. */
export async function holdLockFile(path: string, signal: AbortSignal): Promise<FileHandle> {
  return lock(path, ['-x', DESCRIPTOR], signal);
}

/** Undefined when somebody else holds it. Rejects with AgentError, also where the program is missing. */
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
