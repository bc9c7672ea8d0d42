/**
 * Messages out of the bytes of a gRPC stream: one byte for compression, four
 * for the size, then the message. A size beyond the limit is refused before
 * anything is kept for it.
 */
import { ByteQueue } from '../../base/byte-queue.ts';
import { GrpcCode, GrpcError } from './grpc-status.ts';

const PREFIX_BYTES = 5;

export class GrpcMessages {
  readonly #maxBytes: number;
  readonly #queue = new ByteQueue();
  /** Of the message that is being received. */
  #size: number | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** True between two messages. */
  get atEnd(): boolean {
    return this.#size === undefined && this.#queue.length === 0;
  }

  push(chunk: Uint8Array): void {
    this.#queue.push(chunk);
  }

  /** The next complete message; undefined when more bytes are needed. Throws GrpcError. */
  take(): Buffer | undefined {
    if (this.#size === undefined) {
      if (this.#queue.length < PREFIX_BYTES) return undefined;
      this.#size = this.#checkPrefix(this.#queue.take(PREFIX_BYTES));
    }
    if (this.#queue.length < this.#size) return undefined;
    const message = this.#queue.take(this.#size);
    this.#size = undefined;
    return message;
  }

  clear(): void {
    this.#queue.clear();
    this.#size = undefined;
  }

  #checkPrefix(prefix: Buffer): number {
    if (prefix[0] !== 0)
      throw new GrpcError(GrpcCode.INTERNAL, 'received a compressed message without asking for it');
    const size = prefix.readUInt32BE(1);
    if (size <= this.#maxBytes) return size;
    throw new GrpcError(
      GrpcCode.RESOURCE_EXHAUSTED,
      `grpc: received message larger than max (${size} vs. ${this.#maxBytes})`,
    );
  }
}

/** A message with its prefix. */
export function frameGrpcMessage(body: Uint8Array): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(body.byteLength, 1);
  return Buffer.concat([prefix, body]);
}
