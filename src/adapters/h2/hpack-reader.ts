/**
 * Headers out of the bytes of HTTP/2 (RFC 7541). A reader keeps what the peer
 * has numbered, so every block of a connection has to be read, in order.
 */
import { type Header, HeaderTable, headerBytes } from './header-table.ts';
import { decodeHuffman } from './huffman.ts';

/** What a peer may number, as long as we ask for nothing else. */
const TABLE_BYTES = 4096;
/** More would not be exact. */
const MAX_INTEGER = 2 ** 28;

/** The connection is lost: what follows cannot be understood. */
export class HpackError extends Error {
  override readonly name = 'HpackError';
}

export interface HeaderBlock {
  readonly headers: ReadonlyMap<string, string>;
  /** They are more than allowed, and some were left out. */
  readonly isTooLarge: boolean;
}

export class HpackReader {
  readonly #table = new HeaderTable(TABLE_BYTES);
  readonly #maxBytes: number;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;

  /** `maxBytes` bounds the headers of one block. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Of several headers with one name the last counts. Throws HpackError. */
  read(block: Buffer): HeaderBlock {
    this.#bytes = block;
    this.#at = 0;
    const headers = new Map<string, string>();
    let size = 0;
    while (this.#at < block.length) {
      const header = this.#next();
      if (header === undefined) continue;
      size += headerBytes(header);
      if (size <= this.#maxBytes) headers.set(header[0], header[1]);
    }
    return { headers, isTooLarge: size > this.#maxBytes };
  }

  /** Undefined for a change of the table's size, which is no header. */
  #next(): Header | undefined {
    const first = this.#bytes[this.#at] ?? 0;
    if (first >= 0x80) return this.#known(this.#integer(7));
    if (first >= 0x40) {
      const header = this.#literal(this.#integer(6));
      this.#table.add(header);
      return header;
    }
    if (first < 0x20) return this.#literal(this.#integer(4));
    if (!this.#table.resize(this.#integer(5)))
      throw new HpackError('the table of headers would be too large');
    return undefined;
  }

  #known(index: number): Header {
    const header = this.#table.get(index);
    if (header === undefined) throw new HpackError(`no header has the number ${index}`);
    return header;
  }

  #literal(index: number): Header {
    const name = index === 0 ? this.#string() : this.#known(index)[0];
    return [name, this.#string()];
  }

  /** The lowest bits of a byte, or more when all of them are set. */
  #integer(bits: number): number {
    const most = 2 ** bits - 1;
    const first = this.#byte() & most;
    if (first < most) return first;
    let value = most;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#byte();
      value += (byte & 127) * factor;
      if (value > MAX_INTEGER) throw new HpackError('a number is too large');
      if (byte < 128) return value;
      if (factor > MAX_INTEGER) throw new HpackError('a number is too long');
    }
  }

  #string(): string {
    const isCoded = (this.#bytes[this.#at] ?? 0) >= 0x80;
    const length = this.#integer(7);
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new HpackError('a string is cut off');
    const from = this.#at;
    this.#at = end;
    if (!isCoded) return this.#bytes.toString('latin1', from, end);
    const text = decodeHuffman(this.#bytes.subarray(from, end));
    if (text === undefined) throw new HpackError('a string is not of the Huffman code');
    return text;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new HpackError('the headers are cut off');
    return byte;
  }
}
