/**
 * One line of a container's log file: `<time> <stream> <tags> <text>` as the
 * runtime interface has it, or Docker's JSON. Text stays bytes: containers
 * write what they like.
 */

export interface LogEntry {
  /** As written, in RFC 3339 with any number of digits. */
  readonly time: string;
  readonly stream: 'stdout' | 'stderr';
  readonly text: Uint8Array;
  /** The line goes on in the next entry. */
  readonly partial: boolean;
}

export type ParseEntry = (line: Buffer) => LogEntry | undefined;

const SPACE = 0x20;
const EMPTY = Buffer.alloc(0);

/** The format of a file, recognised by its first line; undefined when it is neither. */
export function detectFormat(line: Buffer): ParseEntry | undefined {
  return [parseCri, parseDocker].find((parse) => parse(line) !== undefined);
}

/** `line` is without its newline. */
export function parseCri(line: Buffer): LogEntry | undefined {
  const first = line.indexOf(SPACE);
  const second = first < 0 ? -1 : line.indexOf(SPACE, first + 1);
  if (second < 0) return undefined;
  const third = line.indexOf(SPACE, second + 1);
  const time = line.toString('latin1', 0, first);
  const stream = line.toString('latin1', first + 1, second);
  if ((stream !== 'stdout' && stream !== 'stderr') || toMs(time) === undefined) return undefined;
  const tags = line.toString('latin1', second + 1, third < 0 ? line.length : third);
  const text = third < 0 ? EMPTY : line.subarray(third + 1);
  return { time, stream, text, partial: tags.split(':', 1)[0] === 'P' };
}

function parseDocker(line: Buffer): LogEntry | undefined {
  if (line[0] !== 0x7b) return undefined;
  try {
    const { log, stream, time } = JSON.parse(line.toString()) as Record<string, unknown>;
    if (typeof log !== 'string' || typeof time !== 'string' || toMs(time) === undefined) return undefined;
    if (stream !== 'stdout' && stream !== 'stderr') return undefined;
    const whole = log.endsWith('\n');
    return { time, stream, text: Buffer.from(whole ? log.slice(0, -1) : log), partial: !whole };
  } catch {
    return undefined;
  }
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/;

/** Milliseconds since the epoch with their fraction; undefined when the text is no time. */
export function toMs(time: string): number | undefined {
  const [, seconds, fraction = '', zone] = TIME.exec(time) ?? [];
  if (seconds === undefined || zone === undefined) return undefined;
  const ms = Date.parse(`${seconds}${zone}`);
  return Number.isNaN(ms) ? undefined : ms + Number(`0.${fraction || '0'}`) * 1000;
}

/** With nine digits of fraction, always. */
export function toFixedTime(time: string): string {
  return time.replace(TIME, (_, seconds: string, fraction: string | undefined, zone: string) => {
    return `${seconds}.${(fraction ?? '').slice(0, 9).padEnd(9, '0')}${zone}`;
  });
}
