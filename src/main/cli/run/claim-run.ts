/**
 * Makes the directory of a run its own, before anything in it is touched. The run removes all of it at its end, so it
 * begins only in one that is new, empty, or has the lock file of an earlier run; and in each there is one run at a time.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { tryLockFile } from '../../../adapters/linux/files/lock-file.ts';
import { hasErrno } from '../../../adapters/linux/host-error.ts';
import { AgentError, hasCode } from '../../../base/errors.ts';
import type { RunPlace } from './run-place.ts';

const PRIVATE_DIRECTORY = 0o700;

/** Holds it until the result is disposed. Rejects with AgentError when another run holds it. */
export async function claimRun(
  { rootDir, lockFile }: Pick<RunPlace, 'rootDir' | 'lockFile'>,
  signal: AbortSignal,
): Promise<AsyncDisposable> {
  const own = dirname(lockFile);
  const isForeign =
    (await listNames(rootDir)).length > 0 && !(await listNames(own)).includes(basename(lockFile));
  if (isForeign)
    throw new AgentError(
      'failed-precondition',
      `the directory ${JSON.stringify(rootDir)} has files that are not of a run: name a new one, which is removed at the end`,
    );
  await mkdir(own, { recursive: true, mode: PRIVATE_DIRECTORY });
  const held = await tryLock(lockFile, signal);
  if (held === undefined)
    throw new AgentError(
      'already-exists',
      `another run in ${JSON.stringify(rootDir)} is under way: end it first`,
    );
  return held;
}

async function listNames(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return [];
    throw new AgentError('failed-precondition', `cannot list ${JSON.stringify(directory)}`, { cause: error });
  }
}

/** Undefined when another run has it. A host without the program does without the protection. */
async function tryLock(path: string, signal: AbortSignal): Promise<AsyncDisposable | undefined> {
  try {
    return await tryLockFile(path, signal);
  } catch (error) {
    if (!hasCode(error, 'failed-precondition')) throw error;
    return { [Symbol.asyncDispose]: async () => {} };
  }
}
