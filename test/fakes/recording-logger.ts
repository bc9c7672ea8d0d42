/** A logger that keeps its lines for assertions; children write to the same list. */
import { errorText } from '../../src/base/errors.ts';
import type { LineLevel, LogFields, Logger } from '../../src/base/log.ts';

export interface RecordedLine {
  readonly severity: 'info' | 'warning' | 'error' | 'debug';
  readonly message: string;
  readonly fields: LogFields;
}

export class RecordingLogger implements Logger {
  readonly lines: RecordedLine[];
  readonly #fields: LogFields;

  constructor(lines: RecordedLine[] = [], fields: LogFields = {}) {
    this.lines = lines;
    this.#fields = fields;
  }

  info(message: string, fields?: LogFields): void {
    this.#add('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#add('warning', message, fields);
  }

  error(message: string, error: unknown, fields?: LogFields): void {
    this.#add('error', message, { ...fields, err: errorText(error) });
  }

  debug(_level: LineLevel, message: string, fields?: LogFields): void {
    this.#add('debug', message, fields);
  }

  with(fields: LogFields): RecordingLogger {
    return new RecordingLogger(this.lines, { ...this.#fields, ...fields });
  }

  /** Messages of one severity, in order. */
  messages(severity: RecordedLine['severity']): string[] {
    return this.lines.filter((line) => line.severity === severity).map((line) => line.message);
  }

  #add(severity: RecordedLine['severity'], message: string, fields?: LogFields): void {
    this.lines.push({ severity, message, fields: { ...this.#fields, ...fields } });
  }
}
