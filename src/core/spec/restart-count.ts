/**
 * The restart count of the next instance of a container. It never falls: when
 * the runtime has forgotten the last instance, its log files still tell.
 */
import type { ObservedContainer } from '../pod/observed-pod.ts';
import { readRestartCount } from './container-labels.ts';

const LOG_FILE = /^(\d+)\.log(\..*)?/;

/** `newest` is the last known instance, `logFileNames` the files in the container's log directory. */
export function computeRestartCount(
  newest: ObservedContainer | undefined,
  logFileNames: readonly string[],
): number {
  // One that was made but never started, because the agent died in between, is no restart: its number is used again.
  if (newest?.state === 'created') return readRestartCount(newest);
  if (newest !== undefined) return readRestartCount(newest) + 1;
  const counts = logFileNames.map((name) => Number(LOG_FILE.exec(name)?.[1] ?? -1));
  return counts.reduce((highest, count) => Math.max(highest, count), -1) + 1;
}
