/**
 * One kubelet per root directory: two would make every pod twice. Whoever
 * comes second waits a moment, for the first may be about to end, and then
 * gives up.
 */
import type { FileHandle } from 'node:fs/promises';
import { LinuxHostFiles } from '../../adapters/linux/files/host-files.ts';
import { tryLockFile } from '../../adapters/linux/files/lock-file.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import { AgentError, errorText, hasCode } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { Scope } from '../../base/scope.ts';

const PATIENCE_MS = 10_000;
const RETRY_MS = 250;

export interface RootClaimParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly scope: Pick<Scope, 'signal' | 'defer'>;
  readonly patienceMs?: number;
}

/** Holds the directory until the scope closes. Rejects with AgentError when another kubelet has it. */
export async function claimRootDirectory(
  rootDir: string,
  { clock, logger, scope, patienceMs = PATIENCE_MS }: RootClaimParts,
): Promise<void> {
  const directory = `${rootDir}/kubelet-ts`;
  await new LinuxHostFiles().makeDirectory(rootDir, 0o750);
  await new LinuxHostFiles().makeDirectory(directory, 0o700);
  const path = `${directory}/lock`;
  const untilMs = clock.now() + patienceMs;
  for (let isLogged = false; ; isLogged = true) {
    const held = await tryOrWarn(path, logger, scope.signal);
    if (held === 'unknown') return;
    if (held !== undefined) {
      scope.defer(() => held.close());
      return;
    }
    if (clock.now() >= untilMs)
      throw new AgentError(
        'already-exists',
        `another kubelet uses the root directory ${JSON.stringify(rootDir)}: stop it first, or set another --root-dir`,
      );
    if (!isLogged) logger.warn('another kubelet uses the root directory, waiting for its end', { rootDir });
    await sleep(clock, RETRY_MS, scope.signal);
    scope.signal.throwIfAborted();
  }
}

/** A host without the program does without the protection. */
async function tryOrWarn(
  path: string,
  logger: Logger,
  signal: AbortSignal,
): Promise<FileHandle | 'unknown' | undefined> {
  try {
    return await tryLockFile(path, signal);
  } catch (error) {
    if (!hasCode(error, 'failed-precondition')) throw error;
    logger.warn('cannot keep a second kubelet from the root directory', { err: errorText(error) });
    return 'unknown';
  }
}
