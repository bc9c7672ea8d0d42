/**
 * WebSocket frames (RFC 6455) as a client sees them: what goes is masked,
 * what comes is not. The counterpart of the server's frames.
 */
import { randomBytes } from 'node:crypto';

export const OPCODE = { binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface ServerFrame {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** One frame, whole, with a mask. */
export function encodeClientFrame(opcode: number, content: Uint8Array, mask = randomBytes(4)): Buffer {
  const { length } = content;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | (length < 126 ? length : length < 65536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  const payload = Buffer.from(content);
  for (let i = 0; i < length; i++) payload[i] = (payload[i] ?? 0) ^ (mask[i & 3] ?? 0);
  return Buffer.concat([head, mask, payload]);
}

/** Puts frames together from the bytes of a connection. */
export class ServerFrameDecoder {
  #data: Buffer = Buffer.alloc(0);
  /** What came since; joined only when it may complete a frame, as a large one comes in many pieces. */
  #pieces: Uint8Array[] = [];
  #size = 0;
  /** Without so many bytes there is no next frame. */
  #needed = 0;

  /** The frames that are whole now; pieces of a message come as frames of their own. */
  *push(bytes: Uint8Array): Generator<ServerFrame> {
    this.#pieces.push(Buffer.from(bytes));
    this.#size += bytes.length;
    if (this.#data.length + this.#size < this.#needed) return;
    this.#data = Buffer.concat([this.#data, ...this.#pieces]);
    this.#pieces = [];
    this.#size = 0;
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) yield frame;
  }

  #next(): ServerFrame | undefined {
    const data = this.#data;
    const [first = 0, second = 0] = data;
    const short = second & 0x7f;
    const start = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0);
    this.#needed = data.length < 2 ? 2 : start;
    if (data.length < this.#needed) return undefined;
    const length =
      short < 126 ? short : short === 126 ? data.readUInt16BE(2) : Number(data.readBigUInt64BE(2));
    this.#needed = start + length;
    if (data.length < this.#needed) return undefined;
    this.#data = data.subarray(this.#needed);
    return { opcode: first & 0x0f, payload: Buffer.from(data.subarray(start, start + length)) };
  }
}
