/**
 * One request of a client on an HTTP/2 connection. The connection calls it as
 * frames arrive; its owner gets headers, data, and once the end.
 *
 *   waiting ──a place is free──► open ──END_STREAM, RST_STREAM or loss──► closed
 *      └──────────cancelled or lost─────────────────────────────────────────┘
 */
import { H2Code } from './frame.ts';

export interface StreamListener {
  /** The head of the answer, or its trailers. */
  onHeaders(headers: ReadonlyMap<string, string>): void;
  /** The bytes stay as they are. */
  onData(bytes: Buffer): void;
  /** Once, and last. `code` is that of HTTP/2; `isLost` when the connection ended before the stream did. */
  onClose(code: number, isLost: boolean): void;
}

/** What a stream needs of its connection. */
export interface StreamOwner {
  /** Resets it at the peer, if it knows the stream, and forgets it. */
  reset(stream: H2Stream, code: number): void;
}

export class H2Stream {
  readonly #owner: StreamOwner;
  readonly #listener: StreamListener;
  readonly headerBlock: Buffer;
  /** What has not been sent. */
  body: Uint8Array;
  /** Zero until it is open. */
  id = 0;
  /** What the peer still takes of the body. */
  sendWindow = 0;
  /** Received since the peer was granted more. */
  received = 0;
  /** The answer has begun. */
  hasHead = false;
  /** The answer has come to its end, and was not cut off. */
  isComplete = false;
  #isClosed = false;

  constructor(owner: StreamOwner, headerBlock: Buffer, body: Uint8Array, listener: StreamListener) {
    this.#owner = owner;
    this.headerBlock = headerBlock;
    this.body = body;
    this.#listener = listener;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Ends it from this side; the listener is called before this returns. */
  cancel(): void {
    if (this.#isClosed) return;
    this.#owner.reset(this, H2Code.CANCEL);
    this.close(H2Code.CANCEL, false);
  }

  takeHeaders(headers: ReadonlyMap<string, string>): void {
    this.hasHead = true;
    if (!this.#isClosed) this.#listener.onHeaders(headers);
  }

  takeData(bytes: Buffer): void {
    if (!this.#isClosed) this.#listener.onData(bytes);
  }

  /** For the connection only. */
  close(code: number, isLost: boolean): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.body = EMPTY;
    this.#listener.onClose(code, isLost);
  }
}

const EMPTY = new Uint8Array();
