/**
 * The part of SPDY/3.1 that a client of a streaming server needs. Headers of
 * our own are sent in stored (uncompressed) blocks of one zlib stream; those
 * of the other side are never needed and so never inflated.
 */

import { ByteQueue } from '../../base/byte-queue.ts';

export type SpdyFrame =
  | { readonly kind: 'data'; readonly stream: number; readonly fin: boolean; readonly payload: Buffer }
  | { readonly kind: 'reply'; readonly stream: number; readonly fin: boolean }
  | { readonly kind: 'reset'; readonly stream: number }
  | { readonly kind: 'ping'; readonly id: number }
  | { readonly kind: 'go-away' }
  | { readonly kind: 'other' };

const VERSION = 0x8003;
const TYPE = { open: 1, reply: 2, reset: 3, ping: 6, goAway: 7, headers: 8 } as const;
const FIN = 1;
const HEAD_BYTES = 8;
const MAX_FRAME_BYTES = 16 * 1024 * 1024 - 1;
/** Ends a stored block so that a reader gets it all at once. */
const FLUSH = Buffer.from([0, 0, 0, 0xff, 0xff]);
const ZLIB_HEAD = Buffer.from([0x78, 0x01]);

export class SpdyEncoder {
  #begun = false;

  /** Opens a stream. Names must be in lower case. */
  open(stream: number, headers: Readonly<Record<string, string>>): Buffer {
    const body = Buffer.alloc(10);
    body.writeUInt32BE(stream, 0);
    return control(TYPE.open, 0, Buffer.concat([body, this.#block(headers)]));
  }

  data(stream: number, payload: Uint8Array, fin = false): Buffer {
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32BE(stream, 0);
    head.writeUInt32BE(payload.length, 4);
    head[4] = fin ? FIN : 0;
    return Buffer.concat([head, payload]);
  }

  ping(id: number): Buffer {
    const body = Buffer.alloc(4);
    body.writeUInt32BE(id, 0);
    return control(TYPE.ping, 0, body);
  }

  #block(headers: Readonly<Record<string, string>>): Buffer {
    const entries = Object.entries(headers);
    const parts = [number(entries.length)];
    for (const text of entries.flat()) parts.push(number(Buffer.byteLength(text)), Buffer.from(text));
    const content = Buffer.concat(parts);
    const stored = Buffer.alloc(5);
    stored.writeUInt16LE(content.length, 1);
    stored.writeUInt16LE(~content.length & 0xffff, 3);
    const begin = this.#begun ? [] : [ZLIB_HEAD];
    this.#begun = true;
    return Buffer.concat([...begin, stored, content, FLUSH]);
  }
}

function control(type: number, flags: number, body: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16BE(VERSION, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(body.length, 4);
  head[4] = flags;
  return Buffer.concat([head, body]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value, 0);
  return bytes;
}

/** Assembles frames from the bytes of a connection. */
export class SpdyDecoder {
  readonly #queue = new ByteQueue();
  /** Of the frame that is being received. */
  #head: Buffer | undefined;

  /** The frames that are complete now. */
  *push(bytes: Uint8Array): Generator<SpdyFrame> {
    this.#queue.push(bytes);
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) yield frame;
  }

  #next(): SpdyFrame | undefined {
    if (this.#head === undefined) {
      if (this.#queue.length < HEAD_BYTES) return undefined;
      this.#head = this.#queue.take(HEAD_BYTES);
    }
    const head = this.#head;
    const length = head.readUInt32BE(4) & MAX_FRAME_BYTES;
    if (this.#queue.length < length) return undefined;
    this.#head = undefined;
    return toFrame(head, this.#queue.take(length));
  }
}

function toFrame(head: Buffer, body: Buffer): SpdyFrame {
  const fin = ((head[4] ?? 0) & FIN) !== 0;
  const first = head.readUInt32BE(0);
  if (first < 0x80000000) return { kind: 'data', stream: first, fin, payload: body };
  const type = first & 0xffff;
  const id = body.length >= 4 ? body.readUInt32BE(0) & 0x7fffffff : 0;
  if (type === TYPE.reply || (type === TYPE.headers && fin)) return { kind: 'reply', stream: id, fin };
  if (type === TYPE.reset) return { kind: 'reset', stream: id };
  if (type === TYPE.ping) return { kind: 'ping', id: body.length >= 4 ? body.readUInt32BE(0) : 0 };
  if (type === TYPE.goAway) return { kind: 'go-away' };
  return { kind: 'other' };
}
