/** The times of a reflector, with the reasons for their defaults. */

export interface ReflectorTiming {
  /** The server is asked to end a watch after between one and two times this. */
  readonly watchSeconds: number;
  /** How long past that time a watch may last before it counts as dead. */
  readonly overtimeMs: number;
  /** Silence after which a watch counts as dead; bookmarks come about every minute. */
  readonly idleMs: number;
  readonly listTimeoutMs: number;
  /** A new list at the latest after between one and one and a half times this, though all seems well. */
  readonly relistEveryMs: number;
  /** So many watches in a row that the server answered but that brought nothing ask for a new list. */
  readonly relistAfterUseless: number;
  /** A watch that lasted this long was of use, also without an event. */
  readonly usefulMs: number;
  /** First and longest pause after failures. */
  readonly initialMs: number;
  readonly maxMs: number;
  /** The longest pause before a watch that follows a good one: nodes do not come all at once. */
  readonly spreadMs: number;
  /** The most that a server can ask us to wait. */
  readonly maxAskedWaitMs: number;
}

export const DEFAULT_TIMING: ReflectorTiming = {
  watchSeconds: 300,
  overtimeMs: 30_000,
  idleMs: 180_000,
  listTimeoutMs: 60_000,
  relistEveryMs: 3_600_000,
  relistAfterUseless: 5,
  usefulMs: 5_000,
  initialMs: 250,
  maxMs: 10_000,
  spreadMs: 100,
  maxAskedWaitMs: 60_000,
};

/** What to ask the server for, spread so that the watches of many nodes do not end together. */
export function computeWatchSeconds(timing: ReflectorTiming, random: number): number {
  return Math.ceil(timing.watchSeconds * (1 + random));
}
