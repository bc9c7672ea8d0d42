/**
 * Headers of a request as bytes (RFC 7541), with the numbers of the standard
 * and none of our own: a block means the same whichever request it is sent
 * with, so that it can be made once and kept. Without Huffman: the few bytes
 * saved are not worth their work.
 */
import { type Header, staticNumberOf } from './header-table.ts';

/** What no table between us and the peer may keep. */
const SECRET: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization']);
const NAME = /^:?[a-z0-9!#$%&'*+.^_`|~-]+$/;
const ILLEGAL_VALUE = /[^\t -~\u0080-\u00ff]/;

const NUMBERED = 0x80;
const LITERAL = 0x00;
const NEVER_NUMBERED = 0x10;
/** Of a header beside its text: two lengths and a number. */
const MOST_EXTRA_BYTES = 15;

/** Throws when HTTP does not allow one of them; the message does not show its value. */
export function encodeHeaders(headers: Iterable<Header>): Buffer {
  const all = [...headers];
  const bytes = Buffer.allocUnsafe(
    all.reduce((sum, [name, value]) => sum + name.length + value.length + MOST_EXTRA_BYTES, 0),
  );
  let at = 0;
  for (const header of all) at = writeHeader(bytes, at, header);
  return bytes.subarray(0, at);
}

function writeHeader(bytes: Buffer, at: number, header: Header): number {
  const [name, value] = header;
  const whole = staticNumberOf(header);
  if (whole !== undefined) return writeInteger(bytes, at, NUMBERED, 7, whole);
  if (!NAME.test(name)) throw new Error(`HTTP allows no header with the name ${JSON.stringify(name)}`);
  if (ILLEGAL_VALUE.test(value))
    throw new Error(`the header ${JSON.stringify(name)} has a character that HTTP does not allow`);
  const named = staticNumberOf([name]) ?? 0;
  const next = writeInteger(bytes, at, SECRET.has(name) ? NEVER_NUMBERED : LITERAL, 4, named);
  return writeText(bytes, named === 0 ? writeText(bytes, next, name) : next, value);
}

function writeText(bytes: Buffer, at: number, text: string): number {
  const from = writeInteger(bytes, at, 0, 7, text.length);
  return from + bytes.write(text, from, 'latin1');
}

/** In the lowest bits of a byte, or in more when it does not fit. */
function writeInteger(bytes: Buffer, at: number, first: number, bits: number, value: number): number {
  const most = 2 ** bits - 1;
  let end = at;
  if (value < most) {
    bytes[end++] = first | value;
    return end;
  }
  bytes[end++] = first | most;
  let rest = value - most;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[end++] = (rest % 128) | 128;
  bytes[end++] = rest;
  return end;
}
