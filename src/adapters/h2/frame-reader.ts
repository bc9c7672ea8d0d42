/**
 * Frames out of the bytes of an HTTP/2 connection, without padding, and with
 * headers that came in several frames as one. A peer can make it keep one
 * frame and one bounded block of headers.
 */
import { ByteQueue } from '../../base/byte-queue.ts';
import {
  Flag,
  FRAME_HEAD_BYTES,
  type Frame,
  FrameType,
  H2Code,
  H2Error,
  MAX_FRAME_BYTES,
  stripPayload,
} from './frame.ts';

/** Of the headers of one answer as they are sent, with all their frames. */
const MAX_BLOCK_BYTES = 256 * 1024;
const MAX_BLOCK_FRAMES = 64;

interface OpenBlock {
  readonly first: Frame;
  readonly parts: Buffer[];
  bytes: number;
}

export class FrameReader {
  readonly #queue = new ByteQueue();
  #block: OpenBlock | undefined;

  /** The bytes belong to the reader from now on. */
  push(bytes: Uint8Array): void {
    this.#queue.push(bytes);
  }

  /** Undefined when more bytes are needed. Throws H2Error, after which nothing more can be read. */
  next(): Frame | undefined {
    for (let raw = this.#nextRaw(); raw !== undefined; raw = this.#nextRaw()) {
      const frame = this.#join(raw);
      if (frame !== undefined) return frame;
    }
    return undefined;
  }

  #nextRaw(): Frame | undefined {
    const queue = this.#queue;
    if (queue.length < FRAME_HEAD_BYTES) return undefined;
    const length = queue.peek(3).readUIntBE(0, 3);
    if (length > MAX_FRAME_BYTES) throw new H2Error(H2Code.FRAME_SIZE_ERROR, 'a frame is too large');
    if (queue.length < FRAME_HEAD_BYTES + length) return undefined;
    const bytes = queue.take(FRAME_HEAD_BYTES + length);
    const payload = bytes.subarray(FRAME_HEAD_BYTES);
    const stream = bytes.readUInt32BE(5) & 0x7fffffff;
    return { type: bytes[3] ?? 0, flags: bytes[4] ?? 0, stream, payload, length };
  }

  #join(frame: Frame): Frame | undefined {
    if (frame.type === FrameType.CONTINUATION) return this.#continue(frame);
    if (this.#block !== undefined) throw new H2Error(H2Code.PROTOCOL_ERROR, 'headers are cut off');
    if (frame.type !== FrameType.HEADERS && frame.type !== FrameType.DATA) return frame;
    const payload = stripPayload(frame);
    if (frame.type === FrameType.DATA || (frame.flags & Flag.END_HEADERS) !== 0) return { ...frame, payload };
    this.#block = { first: frame, parts: [payload], bytes: payload.length };
    return undefined;
  }

  #continue({ stream, flags, payload }: Frame): Frame | undefined {
    const block = this.#block;
    if (block === undefined || block.first.stream !== stream)
      throw new H2Error(H2Code.PROTOCOL_ERROR, 'headers out of place');
    block.parts.push(payload);
    block.bytes += payload.length;
    if (block.bytes > MAX_BLOCK_BYTES || block.parts.length > MAX_BLOCK_FRAMES)
      throw new H2Error(H2Code.ENHANCE_YOUR_CALM, 'the headers of an answer are too large');
    if ((flags & Flag.END_HEADERS) === 0) return undefined;
    this.#block = undefined;
    return { ...block.first, payload: Buffer.concat(block.parts) };
  }
}
