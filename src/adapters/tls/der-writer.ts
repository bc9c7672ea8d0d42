/** Just enough DER to write a certificate: each function returns the bytes of one element. */

export function tagged(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts);
  return Buffer.concat([Uint8Array.of(tag, ...lengthOf(content.length)), content]);
}

export const sequence = (...parts: readonly Uint8Array[]): Uint8Array => tagged(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]): Uint8Array => tagged(0x31, ...parts);
export const octets = (content: Uint8Array): Uint8Array => tagged(0x04, content);
export const utf8 = (text: string): Uint8Array => tagged(0x0c, Buffer.from(text));
export const truth = (): Uint8Array => tagged(0x01, Uint8Array.of(0xff));
/** `unused` bits at the end do not count. */
export const bits = (content: Uint8Array, unused = 0): Uint8Array =>
  tagged(0x03, Uint8Array.of(unused), content);

/** From big-endian bytes, taken as positive. */
export function integer(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0);
  const trimmed = first < 0 ? Uint8Array.of(0) : bytes.subarray(first);
  return (trimmed[0] ?? 0) >= 0x80 ? tagged(0x02, Uint8Array.of(0), trimmed) : tagged(0x02, trimmed);
}

/** From dotted text. */
export function objectId(text: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return tagged(0x06, Uint8Array.from([first * 40 + second, ...rest.flatMap(toBase128)]));
}

/** UTC; the short form until 2049, as the standard asks. */
export function time(ms: number): Uint8Array {
  const text = `${new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '')}`;
  return text < '2050' ? tagged(0x17, Buffer.from(text.slice(2))) : tagged(0x18, Buffer.from(text));
}

function toBase128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) digits.unshift((rest & 0x7f) | 0x80);
  return digits;
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const digits: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256);
  return [0x80 + digits.length, ...digits];
}
