/**
 * Reads an archive of tar as it comes, one entry after the other: the old format, POSIX and GNU. What an archive says
 * is hostile: lengths of names are limited, nothing is allocated by a size it names, and a body is passed on in the
 * pieces it came in.
 */
import { AgentError } from '../../../base/errors.ts';

export const BLOCK_BYTES = 512;
/** Of a long name or an extended header. */
const MAX_HEADER_BYTES = 64 * 1024;

export interface TarEntry {
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  readonly mode: number;
  readonly sizeBytes: number;
}

export interface ReadEntry {
  readonly entry: TarEntry;
  /** To be read before the next entry; what is left is skipped. */
  readonly body: AsyncGenerator<Buffer>;
}

/** Rejects with AgentError when it is no archive, or ends in the middle. */
export async function* readTar(chunks: AsyncIterable<Buffer>): AsyncGenerator<ReadEntry> {
  const source = new ByteSource(chunks);
  let extended: Readonly<Record<string, string>> = {};
  for (;;) {
    const header = await source.take(BLOCK_BYTES, true);
    if (header === undefined || header.every((byte) => byte === 0)) return source.drain();
    checkSum(header);
    const type = String.fromCharCode(header[156] ?? 0);
    const sizeBytes = parseNumber(header.subarray(124, 136));
    if (type === 'L' || type === 'K' || type === 'x') {
      const text = await readText(source, sizeBytes);
      extended = { ...extended, ...(type === 'x' ? parseRecords(text) : toRecord(type, text)) };
      continue;
    }
    const entry = toEntry(header, type, sizeBytes, extended);
    extended = {};
    const left = { bytes: entry.sizeBytes };
    yield { entry, body: source.stream(left) };
    for await (const _ of source.stream(left));
    await source.skip(padding(entry.sizeBytes));
  }
}

export function padding(sizeBytes: number): number {
  return (BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES;
}

function toEntry(
  header: Buffer,
  type: string,
  sizeBytes: number,
  { path, size }: Readonly<Record<string, string>>,
): TarEntry {
  const own = readName(header, 0, 100);
  const prefix = header.toString('latin1', 257, 262) === 'ustar' ? readName(header, 345, 155) : '';
  const name = path ?? (prefix === '' ? own : `${prefix}/${own}`);
  const kind = kindOf(type, name);
  const length = size === undefined ? sizeBytes : parseDecimal(size);
  return {
    path: name,
    kind,
    mode: parseNumber(header.subarray(100, 108)),
    // A link's size is that of what it leads to; nothing follows.
    sizeBytes: kind === 'file' || kind === 'other' ? length : 0,
  };
}

function kindOf(type: string, name: string): TarEntry['kind'] {
  if (type === '5' || ((type === '0' || type === '\0') && name.endsWith('/'))) return 'directory';
  if (type === '0' || type === '\0' || type === '7') return 'file';
  return type === '1' || type === '2' ? 'link' : 'other';
}

async function readText(source: ByteSource, sizeBytes: number): Promise<string> {
  if (sizeBytes > MAX_HEADER_BYTES) throw bad('a header is too long');
  const bytes = (await source.take(sizeBytes)) ?? Buffer.of();
  await source.skip(padding(sizeBytes));
  return bytes.toString();
}

function toRecord(type: 'L' | 'K', text: string): Record<string, string> {
  return type === 'L' ? { path: text.replace(/\0.*$/s, '') } : {};
}

/** `27 path=some/name\n`, one after the other. */
function parseRecords(text: string): Record<string, string> {
  const records: Record<string, string> = {};
  for (const line of text.split('\n')) {
    const [, key, value] = /^\d+ (path|size)=(.*)$/s.exec(line) ?? [];
    if (key !== undefined && value !== undefined) records[key] = value;
  }
  return records;
}

function readName(header: Buffer, at: number, length: number): string {
  const bytes = header.subarray(at, at + length);
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end === -1 ? length : end);
}

/** Octal digits, or the number itself where its first bit is set. */
function parseNumber(bytes: Buffer): number {
  const first = bytes[0] ?? 0;
  if ((first & 0x80) !== 0) {
    const number = bytes.subarray(1).reduce((sum, byte) => sum * 256 + byte, first & 0x7f);
    return checkNumber(number);
  }
  const text = bytes.toString('latin1').replaceAll('\0', ' ').trim();
  if (!/^[0-7]*$/.test(text)) throw bad('a number is none');
  return checkNumber(text === '' ? 0 : Number.parseInt(text, 8));
}

function parseDecimal(text: string): number {
  if (!/^\d{1,16}$/.test(text)) throw bad('a size is none');
  return checkNumber(Number(text));
}

function checkNumber(number: number): number {
  if (!Number.isSafeInteger(number)) throw bad('a number is too large');
  return number;
}

function checkSum(header: Buffer): void {
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  if (parseNumber(header.subarray(148, 156)) !== sum) throw bad('a header is damaged');
}

function bad(why: string): AgentError {
  return new AgentError('invalid-argument', `the container sent no archive that can be read: ${why}`);
}

/** Takes pieces apart at the places that are asked for. */
class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.of();

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** So many bytes; undefined when `mayEnd` and nothing is left. */
  async take(count: number, mayEnd = false): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    const left = { bytes: count };
    for await (const part of this.stream(left, mayEnd)) parts.push(part);
    if (mayEnd && left.bytes === count) return undefined;
    return Buffer.concat(parts);
  }

  async skip(count: number): Promise<void> {
    for await (const _ of this.stream({ bytes: count }));
  }

  async drain(): Promise<void> {
    while ((await this.#chunks.next()).done !== true);
  }

  async *stream(left: { bytes: number }, mayEnd = false): AsyncGenerator<Buffer> {
    const asked = left.bytes;
    while (left.bytes > 0) {
      if (this.#rest.length === 0) {
        const { value, done } = await this.#chunks.next();
        if (done === true && mayEnd && left.bytes === asked) return;
        if (done === true) throw bad('it ends too early');
        this.#rest = value;
      }
      const part = this.#rest.subarray(0, left.bytes);
      this.#rest = this.#rest.subarray(part.length);
      left.bytes -= part.length;
      if (part.length > 0) yield part;
    }
  }
}
