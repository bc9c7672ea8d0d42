/**
 * Places that one kubelet has to itself: its root directory, where two would
 * make every pod twice, and its cgroup root and log directory, where each would
 * take the other's pods for left-overs and remove them. A claim is a locked file that names its
 * holder. The second kubelet waits a moment, because the first may be about to
 * end, and then gives up with the holder's pid.
 */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { LinuxHostFiles } from '../../adapters/linux/files/host-files.ts';
import { tryLockFile } from '../../adapters/linux/files/lock-file.ts';
import { type Clock, sleep } from '../../base/async/clock.ts';
import { AgentError, errorText, hasCode } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { Scope } from '../../base/scope.ts';
import { CLAIMS_DIRECTORY } from '../config/local-socket.ts';

const PATIENCE_MS = 10_000;
const RETRY_MS = 250;
/** A pid and the holder's root directory. */
const HOLDER_BYTES = 4_096;

export interface ClaimParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly scope: Pick<Scope, 'signal' | 'defer'>;
  readonly patienceMs?: number;
}

interface Claim {
  /** Of the lock file. */
  readonly path: string;
  /** What is claimed, with its name quoted, and how to choose another one. */
  readonly what: string;
  readonly otherwise: string;
  /** What the next kubelet reads about the holder. */
  readonly rootDir: string;
}

/** Holds the directory until the scope closes. Rejects with AgentError when another kubelet has it. */
export async function claimRootDirectory(rootDir: string, parts: ClaimParts): Promise<void> {
  const directory = `${rootDir}/kubelet-ts`;
  await new LinuxHostFiles().makeDirectory(rootDir, 0o750);
  await new LinuxHostFiles().makeDirectory(directory, 0o700);
  const what = `the root directory ${JSON.stringify(rootDir)}`;
  await claim({ path: `${directory}/lock`, what, otherwise: 'set another --root-dir', rootDir }, parts);
}

/** Places outside the root directory that the configuration chooses. */
export interface SharedPlaces {
  /** The cgroup below which all pods live; undefined where pods have no cgroup of their own. */
  readonly podsCgroup: string | undefined;
  readonly podLogsDir: string;
}

/** Holds the places until the scope closes. Rejects with AgentError when another kubelet has one of them. */
export async function claimSharedPlaces(
  { podsCgroup, podLogsDir }: SharedPlaces,
  rootDir: string,
  parts: ClaimParts,
  directory = CLAIMS_DIRECTORY,
): Promise<void> {
  await new LinuxHostFiles().makeDirectory(directory, 0o700);
  const hold = (kind: string, name: string, what: string, otherwise: string): Promise<void> => {
    // The name may hold what a file name may not.
    const short = createHash('sha256').update(name).digest('hex').slice(0, 16);
    const path = `${directory}/${kind}-${short}.lock`;
    return claim({ path, what: `${what} ${JSON.stringify(name)}`, otherwise, rootDir }, parts);
  };
  if (podsCgroup !== undefined)
    await hold('cgroup', podsCgroup, 'the pod cgroups below', 'set another cgroupRoot');
  await hold('logs', podLogsDir, 'the log directory', 'set another podLogsDir');
}

async function claim(
  { path, what, otherwise, rootDir }: Claim,
  { clock, logger, scope, patienceMs = PATIENCE_MS }: ClaimParts,
): Promise<void> {
  const untilMs = clock.steady() + patienceMs;
  for (let tried = 0; ; tried++) {
    const held = await tryOrWarn(path, what, logger, scope.signal);
    if (held === 'unknown') return;
    if (held !== undefined) {
      scope.defer(() => held.close());
      await held.truncate();
      await held.write(`${process.pid} ${rootDir}\n`, 0);
      return;
    }
    const holder = await readHolder(path);
    if (clock.steady() >= untilMs)
      throw new AgentError(
        'already-exists',
        `another kubelet (${holder}) uses ${what}: stop it first, or ${otherwise}`,
      );
    if (tried === 0)
      logger.warn('another kubelet is still running here, waiting for its end', { what, holder });
    await sleep(clock, RETRY_MS, scope.signal);
    scope.signal.throwIfAborted();
  }
}

/** Text for a message; the file is only as trustworthy as the directory it lies in. */
async function readHolder(path: string): Promise<string> {
  const bytes = await new LinuxHostFiles().readTail(path, HOLDER_BYTES).catch(() => undefined);
  const found = /^(\d{1,10}) (.*)$/m.exec(Buffer.from(bytes ?? []).toString());
  return found === null ? 'pid unknown' : `pid ${found[1]}, root directory ${JSON.stringify(found[2])}`;
}

/** A host without the program does without the protection. */
async function tryOrWarn(
  path: string,
  what: string,
  logger: Logger,
  signal: AbortSignal,
): Promise<FileHandle | 'unknown' | undefined> {
  try {
    return await tryLockFile(path, signal);
  } catch (error) {
    if (!hasCode(error, 'failed-precondition')) throw error;
    logger.warn('cannot lock out a second kubelet', { what, err: errorText(error) });
    return 'unknown';
  }
}
