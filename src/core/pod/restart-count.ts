/**
 * The restart count of the next instance of a container. It never falls: when
 * the runtime has forgotten the last instance, its log files still have it.
 */

import { readRestartCount } from '../model/container-labels.ts';
import type { ObservedContainer } from '../model/observed-pod.ts';

const LOG_FILE = /^(\d+)\.log(\..*)?/;

/** `newest` is the last known instance, `logFileNames` the files in the container's log directory. */
export function computeRestartCount(
  newest: ObservedContainer | undefined,
  logFileNames: readonly string[],
): number {
  const counts = logFileNames.map((name) => Number(LOG_FILE.exec(name)?.[1] ?? -1));
  const unused = counts.reduce((highest, count) => Math.max(highest, count), -1) + 1;
  if (newest === undefined) return unused;
  const count = readRestartCount(newest);
  // One that was created but never started, because the agent died in between, is no restart: its number is
  // reused. It has a log if its start was performed after all, at the last moment.
  return newest.state === 'created' ? Math.max(count, unused) : count + 1;
}
