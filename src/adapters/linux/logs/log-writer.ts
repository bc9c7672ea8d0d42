/**
 * From the bytes of a log file to the text a client asked for. Keeps the
 * unfinished last line until the rest of it comes; nothing else is kept.
 */
import { AgentError } from '../../../base/errors.ts';
import type { LogQuery } from '../../../ports/runtime/container-logs.ts';
import { detectFormat, type LogEntry, type ParseEntry, toFixedTime, toMs } from './log-entry.ts';

const NEWLINE = 0x0a;
const EOL = Buffer.from('\n');
/** No runtime writes longer lines; without an end in sight it is not a log. */
const MAX_LINE_BYTES = 1024 * 1024;

export class LogWriter {
  readonly #query: LogQuery;
  #parse: ParseEntry | undefined;
  #rest: Buffer = Buffer.alloc(0);
  #atLineStart = true;
  #leftBytes: number;
  /** Entries still to be read when only a tail was asked for and the file may grow meanwhile. */
  #leftEntries: number;

  constructor(query: LogQuery) {
    this.#query = query;
    this.#leftBytes = query.limitBytes ?? Number.POSITIVE_INFINITY;
    this.#leftEntries = query.follow
      ? Number.POSITIVE_INFINITY
      : (query.tailLines ?? Number.POSITIVE_INFINITY);
  }

  /** True when nothing more will be written whatever comes. */
  get done(): boolean {
    return this.#leftBytes <= 0 || this.#leftEntries <= 0;
  }

  /** What the bytes contribute. Throws `invalid-argument` when they are no log. */
  push(bytes: Buffer): Buffer {
    const output: Uint8Array[] = [];
    let data = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    for (let end = data.indexOf(NEWLINE); end >= 0 && !this.done; end = data.indexOf(NEWLINE)) {
      this.#write(data.subarray(0, end), true, output);
      data = data.subarray(end + 1);
    }
    // A copy: `bytes` is used again for the next read.
    this.#rest = data.length > MAX_LINE_BYTES ? Buffer.alloc(0) : Buffer.from(data);
    return Buffer.concat(output);
  }

  /** What a last line without its end contributes. */
  flush(): Buffer {
    const output: Uint8Array[] = [];
    if (this.#rest.length > 0 && !this.done) this.#write(this.#rest, false, output);
    this.#rest = Buffer.alloc(0);
    return Buffer.concat(output);
  }

  /** Another file begins: an unfinished line of the old one is never finished. */
  restart(): void {
    this.#rest = Buffer.alloc(0);
  }

  #write(line: Buffer, ended: boolean, output: Uint8Array[]): void {
    this.#parse ??= detectFormat(line);
    if (this.#parse === undefined) {
      const text = JSON.stringify(line.toString('utf8', 0, 200));
      throw new AgentError(
        'invalid-argument',
        `failed to get parse function: unsupported log format: ${text}`,
      );
    }
    const entry = this.#parse(line);
    if (entry === undefined) return;
    this.#leftEntries--;
    const startsLine = this.#atLineStart;
    const whole = !entry.partial && ended;
    this.#atLineStart = whole || entry.text.length === 0;
    if (!this.#wants(entry)) return;
    const stamp = this.#query.timestamps && startsLine ? `${toFixedTime(entry.time)} ` : '';
    const text = Buffer.concat([Buffer.from(stamp), entry.text, ...(whole ? [EOL] : [])]);
    output.push(text.subarray(0, Math.min(text.length, this.#leftBytes)));
    this.#leftBytes -= text.length;
  }

  #wants({ stream, time }: LogEntry): boolean {
    const { stream: wanted, sinceMs } = this.#query;
    if (wanted !== 'All' && wanted.toLowerCase() !== stream) return false;
    return sinceMs === undefined || (toMs(time) ?? 0) >= sinceMs;
  }
}
