/**
 * Structured logging: a constant message plus fields, written as klog text or
 * JSON lines. The level of a line is a verbosity (0 = always); errors are
 * always written. Nothing here knows what the fields mean; callers keep
 * secrets out.
 *
 * Invariant: writing a line never throws and is always one line without
 * anything that a terminal obeys, whatever the fields hold.
 */
import { errorText } from './errors.ts';
import { escapeTerminal } from './text/terminal-text.ts';

export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  /** A line for people who run the node; one per lifecycle transition. */
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  /** `error` is what was caught; its text goes into the field `err`. */
  error(message: string, error: unknown, fields?: LogFields): void;
  /** A line only shown when the verbosity, or that of its file, is at least its level. */
  debug(level: LineLevel, message: string, fields?: LogFields): void;
  /** A logger that adds `fields` to every line. */
  with(fields: LogFields): Logger;
}

/** How talkative a line is, and the source file that it is in, without `.ts`. */
export interface LineLevel {
  readonly file: string;
  readonly level: number;
}

export type LogFormat = 'text' | 'json';

export interface LogLine {
  readonly severity: 'info' | 'warning' | 'error';
  readonly verbosity: number;
  /** Undefined for lines that are always written. */
  readonly file: string | undefined;
  readonly message: string;
  readonly fields: LogFields;
}

export interface LogSettings {
  readonly format: LogFormat;
  readonly verbosity: number;
  /** Of one file, where it differs; only a higher one counts. */
  readonly verbosityOf?: ((file: string) => number) | undefined;
  readonly now: () => number;
  readonly pid: number;
  readonly write: (line: string, severity: LogLine['severity']) => void;
}

/** A logger that renders lines and hands them to `settings.write`. */
export function createLogger(settings: LogSettings, fields: LogFields = {}): Logger {
  const isHidden = ({ file, level }: LineLevel): boolean =>
    level > settings.verbosity && level > (settings.verbosityOf?.(file) ?? 0);
  const emit = (
    severity: LogLine['severity'],
    at: LineLevel | undefined,
    message: string,
    extra?: LogFields,
  ): void => {
    if (at !== undefined && isHidden(at)) return;
    // Lines without a level can be hidden as well, by those who want none.
    if (settings.verbosity < 0) return;
    const line: LogLine = {
      severity,
      verbosity: at?.level ?? 0,
      file: at?.file,
      message,
      fields: { ...fields, ...extra },
    };
    const text = settings.format === 'json' ? renderJson(line, settings) : renderText(line, settings);
    // JSON has quoted all controls but these.
    settings.write(escapeTerminal(text), severity);
  };
  return {
    info: (message, extra) => emit('info', undefined, message, extra),
    warn: (message, extra) => emit('warning', undefined, message, extra),
    error: (message, error, extra) => emit('error', undefined, message, { ...extra, err: describe(error) }),
    debug: (level, message, extra) => emit('info', level, message, extra),
    with: (extra) => createLogger(settings, { ...fields, ...extra }),
  };
}

/** Undefined, which drops the field, when there is no error. */
function describe(error: unknown): string | undefined {
  return error === undefined || error === null ? undefined : errorText(error);
}

function renderText(line: LogLine, settings: LogSettings): string {
  const letter = line.severity[0]?.toUpperCase() ?? 'I';
  const time = new Date(settings.now());
  const pad = (n: number, width: number): string => String(n).padStart(width, '0');
  const date = pad(time.getMonth() + 1, 2) + pad(time.getDate(), 2);
  const clock = `${pad(time.getHours(), 2)}:${pad(time.getMinutes(), 2)}:${pad(time.getSeconds(), 2)}`;
  const head = `${letter}${date} ${clock}.${pad(time.getMilliseconds() * 1000, 6)} ${String(settings.pid).padStart(7)}`;
  const parts = Object.entries(line.fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${renderValue(value)}`);
  return [`${head} ${line.file ?? 'kubelet'}] ${JSON.stringify(line.message)}`, ...parts].join(' ');
}

function renderValue(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'function' || typeof value === 'symbol') return JSON.stringify(String(value));
  return toJson(value) ?? UNPRINTABLE;
}

function renderJson(line: LogLine, settings: LogSettings): string {
  const head = { ts: settings.now(), msg: line.message };
  // As others print it: only lines that a verbosity can hide name theirs.
  const severity =
    line.severity === 'info' ? { v: line.verbosity } : { v: undefined, severity: line.severity };
  // The head again at the end: a field of that name must not replace it.
  const whole = (fields: LogFields): LogFields => ({
    ...head,
    ...severity,
    ...fields,
    ...head,
    ...severity,
  });
  return toJson(whole(line.fields)) ?? JSON.stringify(whole(printable(line.fields)));
}

const UNPRINTABLE = '"(unprintable)"';

/** The fields with those that have no JSON replaced. */
function printable(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, JSON.parse(toJson(value) ?? UNPRINTABLE)]),
  );
}

/** JSON with errors as their text, collections as arrays and big integers as text; undefined when there is none. */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_key, part: unknown) => {
      if (part instanceof Error) return errorText(part);
      if (part instanceof Set || part instanceof Map) return [...part];
      return typeof part === 'bigint' ? String(part) : part;
    });
  } catch {
    // A cycle, or a toJSON that throws: the line matters more than this field.
    return undefined;
  }
}
