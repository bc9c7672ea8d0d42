/**
 * Which files of a container's log are kept, and under which names. Beside
 * `0.log` there are `0.log.20260102-030405` (the newest rotated one, as it was)
 * and older ones with `.gz` at the end; `.tmp` is one that was being compressed.
 */

export interface LogRotationPolicy {
  /** A log of this size or more is rotated. */
  readonly maxBytes: number;
  /** With the one that is being written; at least 2. */
  readonly maxFiles: number;
  /** How many files are compressed at a time. */
  readonly maxWorkers: number;
  /** The longest time between two looks at a log. */
  readonly monitorIntervalMs: number;
}

export interface LogCleanUp {
  readonly remove: readonly string[];
  /** To be compressed once the log was rotated; oldest first. */
  readonly compress: readonly string[];
}

const COMPRESSED = '.gz';
const UNFINISHED = '.tmp';
/** As {@link toRotatedName} makes it. */
const STAMP = /^\d{8}-\d{6}(?:\.\d{3,})?$/;

/**
 * What a rotation does with the files of earlier ones; `names` are regular
 * files that begin with the name of the log and a dot, `busy` those that are
 * being compressed right now.
 */
export function planLogCleanUp(
  names: readonly string[],
  maxFiles: number,
  busy: ReadonlySet<string> = new Set(),
): LogCleanUp {
  const all = new Set(names);
  const isStale = (name: string): boolean =>
    name.endsWith(UNFINISHED) ? !busy.has(stem(name)) : all.has(`${name}${COMPRESSED}`) && !busy.has(name);
  const stale = names.filter(isStale);
  const rotated = names
    .filter((name) => !isStale(name) && !name.endsWith(UNFINISHED))
    .sort((a, b) => compareStems(stem(a), stem(b)));
  // The log itself and the file it becomes are the other two.
  const surplus = rotated.slice(0, Math.max(0, rotated.length - (maxFiles - 2)));
  const kept = rotated.slice(surplus.length);
  return {
    remove: [...stale, ...surplus],
    compress: kept.filter((name) => !name.endsWith(COMPRESSED) && !busy.has(name)),
  };
}

/** What the log is called after a rotation. A log that fills more than once a second gets a number as well. */
export function toRotatedName(log: string, atMs: number, taken: readonly string[]): string {
  const name = `${log}.${toLocalStamp(atMs)}`;
  const numbers = taken.map(stem).flatMap((other) => {
    if (other === name) return [0];
    return other.startsWith(`${name}.`) ? [Number(other.slice(name.length + 1)) || 0] : [];
  });
  // Above all others: a number that became free would make this file the oldest one.
  return numbers.length === 0 ? name : `${name}.${String(Math.max(...numbers) + 1).padStart(3, '0')}`;
}

/**
 * The rotated files of a log by their names without `.gz`, oldest first: a file
 * that is being compressed, or was a moment ago, is there once. What rotation
 * does not name so is not its work.
 */
export function toGenerations(log: string, names: readonly string[]): string[] {
  const isOurs = (name: string): boolean =>
    name.startsWith(`${log}.`) && STAMP.test(name.slice(log.length + 1));
  const stems = names.filter((name) => !name.endsWith(UNFINISHED)).map(stem);
  return [...new Set(stems.filter(isOurs))].sort(compareStems);
}

/** What a file of this name is called once it is compressed. */
export function toCompressedName(name: string): string {
  return `${name}${COMPRESSED}`;
}

/** The name without what compression adds to it. */
function stem(name: string): string {
  return name.replace(/\.(?:gz|tmp)$/, '');
}

function compareStems(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `YYYYMMDD-HHMMSS` in the time zone of the node. */
function toLocalStamp(atMs: number): string {
  const at = new Date(atMs);
  const day = [at.getFullYear(), at.getMonth() + 1, at.getDate()];
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()];
  const digits = (numbers: number[]): string => numbers.map((part) => String(part).padStart(2, '0')).join('');
  return `${digits(day)}-${digits(time)}`;
}
