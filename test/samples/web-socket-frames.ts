/**
 * WebSocket frames (RFC 6455) for tests, written apart from the package that
 * serves them, as a server sees them: what comes is masked, what goes is not. Fragments of a message are passed on as they arrive, so
 * that no message is ever buffered whole.
 */
import { ByteQueue } from '../../src/base/byte-queue.ts';

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface Frame {
  readonly opcode: number;
  readonly final: boolean;
  readonly payload: Buffer;
}

const MAX_PAYLOAD_BYTES = 1024 * 1024;
const MAX_CONTROL_BYTES = 125;

/** One frame, whole. */
export function encodeFrame(opcode: number, ...parts: readonly Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const head = Buffer.alloc(length < 126 ? 2 : length < 65536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  if (length < 126) head[1] = length;
  else if (length < 65536) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, ...parts]);
}

/** What a client sent breaks the protocol; `code` is what the WebSocket is closed with. */
export class FrameError extends Error {
  readonly code: 1002 | 1009;

  constructor(code: FrameError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Assembles frames from the bytes of a connection. */
export class FrameDecoder {
  readonly #queue = new ByteQueue();
  #inMessage = false;

  /** The frames that are complete now. Throws FrameError when the bytes are not frames a client may send. */
  *push(bytes: Uint8Array): Generator<Frame> {
    this.#queue.push(bytes);
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) yield frame;
  }

  #next(): Frame | undefined {
    const queue = this.#queue;
    if (queue.length < 2) return undefined;
    const [first = 0, second = 0] = queue.peek(2);
    const opcode = first & 0x0f;
    this.#check(first, second, opcode);
    const short = second & 0x7f;
    const extra = short === 126 ? 2 : short === 127 ? 8 : 0;
    const start = 2 + extra + 4;
    if (queue.length < start) return undefined;
    const head = queue.peek(start);
    const length = extra === 0 ? short : extra === 2 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2));
    if (length > MAX_PAYLOAD_BYTES) throw new FrameError(1009, `a frame of ${length} bytes is too long`);
    if (queue.length < start + length) return undefined;
    const mask = Buffer.from(queue.take(start).subarray(start - 4));
    const payload = Buffer.from(queue.take(length));
    for (let i = 0; i < length; i++) payload[i] = (payload[i] ?? 0) ^ (mask[i & 3] ?? 0);
    const final = (first & 0x80) !== 0;
    if (opcode < OPCODE.close) this.#inMessage = !final;
    return { opcode, final, payload };
  }

  #check(first: number, second: number, opcode: number): void {
    const refuse = (what: string): never => {
      throw new FrameError(1002, what);
    };
    if ((first & 0x70) !== 0) refuse('a frame with reserved bits');
    if ((second & 0x80) === 0) refuse('a frame without mask');
    const control = opcode >= OPCODE.close;
    if (control && ((first & 0x80) === 0 || (second & 0x7f) > MAX_CONTROL_BYTES))
      refuse('a control frame that is too long or in pieces');
    if (opcode > OPCODE.pong || (opcode > OPCODE.binary && !control)) refuse('an unknown frame');
    if (!control && (opcode === OPCODE.continuation) !== this.#inMessage) refuse('a piece out of order');
  }
}
