/**
 * The server's end of a WebSocket: answers pings, ends on close, hands data
 * on in fragments and reads no further until a fragment was consumed.
 */
import type { Duplex } from 'node:stream';
import { encodeFrame, FrameDecoder, FrameError, OPCODE } from './web-socket-frames.ts';
import { writeAll } from './write-all.ts';

export interface DataPiece {
  readonly payload: Buffer;
  /** True for the first fragment of a message. */
  readonly first: boolean;
}

const NORMAL_CLOSURE = 1000;

export class WebSocketPeer {
  readonly #socket: Duplex;
  readonly #head: Uint8Array;
  #closed = false;

  /** `head` holds the bytes already received after the request. */
  constructor(socket: Duplex, head: Uint8Array) {
    this.#socket = socket;
    this.#head = head;
  }

  /** Resolves when more may be sent; rejects when the client has gone. */
  send(...parts: readonly Uint8Array[]): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return writeAll(this.#socket, encodeFrame(OPCODE.binary, ...parts));
  }

  close(code = NORMAL_CLOSURE): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#socket.destroyed) return;
    const reason = Buffer.alloc(2);
    reason.writeUInt16BE(code);
    this.#socket.end(encodeFrame(OPCODE.close, reason));
  }

  /** Passes every fragment on; resolves when the client closes. Rejects when it violates the protocol. */
  async run(onData: (piece: DataPiece) => Promise<void>): Promise<void> {
    const decoder = new FrameDecoder();
    try {
      if (await this.#take(decoder, this.#head, onData)) return;
      for await (const chunk of this.#socket.iterator({ destroyOnReturn: false }))
        if (await this.#take(decoder, chunk as Buffer, onData)) return;
    } catch (error) {
      if (error instanceof FrameError) this.close(error.code);
      throw error;
    }
  }

  /** True when the client has closed. */
  async #take(
    decoder: FrameDecoder,
    bytes: Uint8Array,
    onData: (piece: DataPiece) => Promise<void>,
  ): Promise<boolean> {
    for (const { opcode, payload } of decoder.push(bytes)) {
      if (opcode === OPCODE.close) {
        this.close();
        return true;
      }
      if (opcode === OPCODE.ping) await writeAll(this.#socket, encodeFrame(OPCODE.pong, payload));
      else if (opcode !== OPCODE.pong) await onData({ payload, first: opcode !== OPCODE.continuation });
    }
    return false;
  }
}
