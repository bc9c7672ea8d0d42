/**
 * A file that only one process holds at a time. The lock belongs to the open
 * file: the program that takes it for us ends, and it stays until we do.
 */

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { toHostError } from './host-error.ts';
import { PASSED_DESCRIPTOR, runProgram } from './run-program.ts';

/** Waits until nobody else holds it. Close the result to let go. Rejects with AgentError. */
export async function holdLockFile(path: string, signal: AbortSignal): Promise<FileHandle> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, constants.O_CREAT | constants.O_RDWR, 0o600);
    const args = ['--exclusive', String(PASSED_DESCRIPTOR)];
    await runProgram('flock', args, 'lock', path, { descriptor: handle.fd, signal });
    return handle;
  } catch (error) {
    await handle?.close();
    throw toHostError('open lock file', path, error);
  }
}
