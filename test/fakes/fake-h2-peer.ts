/** The other end of an HTTP/2 connection without a socket: a test hands over bytes as they would arrive, at once. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { OnReadOpts, Socket } from 'node:net';
import type { Dial } from '../../src/adapters/h2/open-socket.ts';

const PREFACE_BYTES = 24;

export class FakeH2Peer {
  readonly #written: Buffer[] = [];
  #onread: OnReadOpts | undefined;
  #socket: EventEmitter | undefined;
  isClosed = false;
  /** What the peer has not taken. */
  unread = 0;

  readonly dial: Dial = ({ onread }) => {
    this.#onread = onread;
    const socket = Object.assign(new EventEmitter(), {
      write: (bytes: Uint8Array) => this.#written.push(Buffer.from(bytes)),
      setNoDelay: () => {},
      destroy: () => this.#close(),
    });
    Object.defineProperty(socket, 'writableLength', { get: () => this.unread });
    this.#socket = socket;
    return socket as unknown as Socket;
  };

  /** All that was sent to it, without the preface of the connection. */
  get received(): Buffer {
    return Buffer.concat(this.#written).subarray(PREFACE_BYTES);
  }

  /** Arrives in as many pieces as the reader has room for. */
  send(bytes: Uint8Array): void {
    const { buffer, callback } = this.#onread ?? {};
    assert.ok(Buffer.isBuffer(buffer) && callback !== undefined, 'a reader with one buffer');
    for (let at = 0; at < bytes.length && !this.isClosed; at += buffer.length) {
      const piece = bytes.subarray(at, at + buffer.length);
      buffer.set(piece);
      callback(piece.length, buffer);
    }
  }

  /** The peer sends nothing more. */
  end(): void {
    if (!this.isClosed) this.#socket?.emit('end');
  }

  /** As with a socket, those concerned hear of it a moment later. */
  #close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    setImmediate(() => this.#socket?.emit('close'));
  }
}
