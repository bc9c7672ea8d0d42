/**
 * Bytes that arrive in pieces and are taken in pieces of another size: frames
 * and messages out of packets. Every byte is copied a bounded number of times
 * and costs a bounded number of bytes, however small the packets are.
 *
 * Invariant: what was taken stays as it is; later pushes never write over it.
 */

const LEAST_BYTES = 512;

export class ByteQueue {
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;
  /** False while `#bytes` is a piece that a caller has pushed: that is not ours to write to. */
  #own = false;

  get length(): number {
    return this.#end - this.#start;
  }

  push(piece: Uint8Array): void {
    if (this.length === 0) {
      this.#bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
      this.#start = 0;
      this.#end = piece.byteLength;
      this.#own = false;
      return;
    }
    if (!this.#own || this.#bytes.length - this.#end < piece.byteLength) this.#grow(piece.byteLength);
    this.#bytes.set(piece, this.#end);
    this.#end += piece.byteLength;
  }

  /** The first `count` bytes, which stay in the queue. Throws when there are not that many. */
  peek(count: number): Buffer {
    if (count > this.length) throw new RangeError(`${count} bytes wanted, ${this.length} there`);
    return this.#bytes.subarray(this.#start, this.#start + count);
  }

  /** Removes the first `count` bytes and returns them. Throws when there are not that many. */
  take(count: number): Buffer {
    const taken = this.peek(count);
    this.#start += count;
    if (this.length === 0) this.clear();
    return taken;
  }

  clear(): void {
    this.#bytes = Buffer.alloc(0);
    this.#start = 0;
    this.#end = 0;
    this.#own = false;
  }

  /** Twice as large as needed now, so that each byte is moved a few times at most. */
  #grow(more: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(LEAST_BYTES, 2 * (this.length + more)));
    this.#end = this.#bytes.copy(larger, 0, this.#start, this.#end);
    this.#start = 0;
    this.#bytes = larger;
    this.#own = true;
  }
}
