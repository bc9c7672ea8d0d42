/**
 * The protobuf wire format: what the generated codecs in this folder read and
 * write with. The one hand-written file here. 64-bit integers are numbers:
 * exact to 2^53, beyond that the nearest double (a time in nanoseconds is
 * good to 0.25 µs). Writing saturates at the range of the type. Unknown
 * fields are skipped; a damaged message throws, it never reads past its end.
 */

/** What may be given to an encoder: every field may be left out and then has its zero value. */
export type Init<T> = T extends Uint8Array
  ? T
  : T extends readonly (infer E)[]
    ? readonly Init<E>[]
    : T extends object
      ? { readonly [K in keyof T]?: Init<T[K]> | undefined }
      : T;

/** One RPC of a service, from the client's side. */
export interface Method<Request, Response> {
  readonly service: string;
  readonly name: string;
  readonly serverStreaming: boolean;
  readonly encodeRequest: (message: Init<Request>) => Uint8Array;
  readonly decodeResponse: (bytes: Uint8Array) => Response;
}

const TWO_32 = 4294967296;
const MAX_UINT32 = TWO_32 - 1;
const MAX_INT32 = 2 ** 31 - 1;

/** Reads one message from a buffer. */
export class Reader {
  pos = 0;
  readonly end: number;
  readonly #bytes: Buffer;
  #low = 0;
  #high = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.isBuffer(bytes)
      ? bytes
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.end = bytes.byteLength;
  }

  uint32(): number {
    const bytes = this.#bytes;
    const first = bytes[this.pos] as number;
    if (first < 0x80) {
      this.pos++;
      return first;
    }
    this.#varint();
    return this.#low >>> 0;
  }

  int32(): number {
    return this.uint32() | 0;
  }

  bool(): boolean {
    this.#varint();
    return (this.#low | this.#high) !== 0;
  }

  uint64(): number {
    this.#varint();
    return (this.#high >>> 0) * TWO_32 + (this.#low >>> 0);
  }

  int64(): number {
    this.#varint();
    return (this.#high | 0) * TWO_32 + (this.#low >>> 0);
  }

  double(): number {
    this.#take(8);
    return this.#bytes.readDoubleLE(this.pos - 8);
  }

  fixed64(): number {
    this.#take(8);
    const low = this.#bytes.readUInt32LE(this.pos - 8);
    return this.#bytes.readUInt32LE(this.pos - 4) * TWO_32 + low;
  }

  string(): string {
    const end = this.length();
    const text = this.#bytes.toString('utf8', this.pos, end);
    this.pos = end;
    return text;
  }

  /** A copy: the buffer a message came in is not kept alive by its bytes. */
  bytes(): Uint8Array {
    const end = this.length();
    const copy = new Uint8Array(this.#bytes.subarray(this.pos, end));
    this.pos = end;
    return copy;
  }

  /** Reads a length and returns where that many bytes end. */
  length(): number {
    const end = this.uint32() + this.pos;
    if (!(end <= this.end)) throw new RangeError('protobuf message is truncated');
    return end;
  }

  /** One entry of a map<string, string>. */
  stringEntry(into: Record<string, string>): void {
    const end = this.length();
    let key = '';
    let value = '';
    while (this.pos < end) {
      const tag = this.uint32();
      if (tag === 10) key = this.string();
      else if (tag === 18) value = this.string();
      else this.skip(tag);
    }
    this.finish(end);
    // A key like any other, which assigning would take for the prototype.
    if (key === '__proto__')
      Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true });
    else into[key] = value;
  }

  /** Skips the value of an unknown field. */
  skip(tag: number): void {
    switch (tag & 7) {
      case 0:
        return this.#varint();
      case 1:
        return this.#take(8);
      case 2:
        this.pos = this.length();
        return;
      case 5:
        return this.#take(4);
      default:
        throw new RangeError(`protobuf message has an unknown wire type in tag ${tag}`);
    }
  }

  /** Asserts that a message ended where its length said. */
  finish(end: number): void {
    if (this.pos !== end) throw new RangeError('protobuf message is truncated');
  }

  #take(count: number): void {
    this.pos += count;
    if (this.pos > this.end) throw new RangeError('protobuf message is truncated');
  }

  #varint(): void {
    const bytes = this.#bytes;
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.pos >= this.end) throw new RangeError('protobuf message is truncated');
      const byte = bytes[this.pos++] as number;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.#low = low;
        this.#high = high;
        return;
      }
    }
    throw new RangeError('protobuf message has a varint of more than 10 bytes');
  }
}

/** Writes one message; every method takes the tag first. */
export class Writer {
  #bytes = Buffer.allocUnsafe(256);
  #pos = 0;

  uint32(tag: number, value: number): void {
    this.#room(10);
    this.#varint32(tag);
    this.#varint32(value < 0 ? 0 : value > MAX_UINT32 ? MAX_UINT32 : value);
  }

  int32(tag: number, value: number): void {
    if (value < 0) this.int64(tag, Math.max(value, -(2 ** 31)));
    else this.uint32(tag, Math.min(value, MAX_INT32));
  }

  bool(tag: number, value: boolean): void {
    this.uint32(tag, value ? 1 : 0);
  }

  int64(tag: number, value: number): void {
    this.#room(15);
    this.#varint32(tag);
    this.#varint64(BigInt.asUintN(64, clamp(value, -(2n ** 63n), 2n ** 63n - 1n)));
  }

  uint64(tag: number, value: number): void {
    this.#room(15);
    this.#varint32(tag);
    this.#varint64(clamp(value, 0n, 2n ** 64n - 1n));
  }

  double(tag: number, value: number): void {
    this.#room(13);
    this.#varint32(tag);
    this.#pos = this.#bytes.writeDoubleLE(value, this.#pos);
  }

  fixed64(tag: number, value: number): void {
    this.#room(13);
    this.#varint32(tag);
    this.#pos = this.#bytes.writeBigUInt64LE(clamp(value, 0n, 2n ** 64n - 1n), this.#pos);
  }

  string(tag: number, value: string): void {
    const size = Buffer.byteLength(value);
    this.#room(10 + size);
    this.#varint32(tag);
    this.#varint32(size);
    this.#pos += this.#bytes.write(value, this.#pos);
  }

  bytes(tag: number, value: Uint8Array): void {
    this.#room(10 + value.byteLength);
    this.#varint32(tag);
    this.#varint32(value.byteLength);
    this.#bytes.set(value, this.#pos);
    this.#pos += value.byteLength;
  }

  stringMap(tag: number, map: Readonly<Record<string, string | undefined>>): void {
    for (const [key, value] of Object.entries(map)) {
      if (value === undefined) continue;
      const at = this.open(tag);
      this.string(10, key);
      this.string(18, value);
      this.close(at);
    }
  }

  /** Starts a nested message; hand the result to `close`. */
  open(tag: number): number {
    this.#room(6);
    this.#varint32(tag);
    return ++this.#pos;
  }

  /** Ends a nested message: fills in its length, for which `open` left one byte. */
  close(start: number): void {
    const size = this.#pos - start;
    const extra = size < 0x80 ? 0 : size < 0x4000 ? 1 : size < 0x200000 ? 2 : size < 0x10000000 ? 3 : 4;
    if (extra > 0) {
      this.#room(extra);
      this.#bytes.copyWithin(start + extra, start, this.#pos);
    }
    this.#pos = start - 1;
    this.#varint32(size);
    this.#pos += size;
  }

  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#pos);
  }

  #room(count: number): void {
    if (this.#pos + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#pos + count));
    this.#bytes.copy(larger, 0, 0, this.#pos);
    this.#bytes = larger;
  }

  #varint32(value: number): void {
    let rest = value >>> 0;
    while (rest >= 0x80) {
      this.#bytes[this.#pos++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#pos++] = rest;
  }

  #varint64(value: bigint): void {
    let rest = value;
    while (rest >= 0x80n) {
      this.#bytes[this.#pos++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#bytes[this.#pos++] = Number(rest);
  }
}

function clamp(value: number, lowest: bigint, highest: bigint): bigint {
  const whole = BigInt(Math.trunc(value));
  return whole < lowest ? lowest : whole > highest ? highest : whole;
}
