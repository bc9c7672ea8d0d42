/**
 * The client's side of one HTTP/2 connection (RFC 9113) for requests whose
 * body is at hand and whose answers are taken as they come. Node's own client
 * makes a stream object of a dozen parts for each request, which costs more
 * than all else that a small call needs.
 *
 *   connecting ──settings of the peer──► ready ──close() or GOAWAY──► draining ──last stream──► closed
 *        └───────────────────any error, or the end of the socket─────────────────────────────────┘
 *
 * Invariants: each stream ends once; after `onClose` nothing is left; what
 * the peer can make us keep has a bound (a frame, the headers of a block, a
 * table of 4 KiB, what it does not read).
 */
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import {
  Flag,
  type Frame,
  FrameType,
  H2Code,
  H2Error,
  readNumber,
  Setting,
  toFrame,
  toGoAwayFrame,
  toNumberFrame,
  toSettingsFrame,
  wrongSize,
} from './frame.ts';
import { FrameReader } from './frame-reader.ts';
import { H2Sender } from './h2-sender.ts';
import { H2Stream, type StreamListener } from './h2-stream.ts';
import { HpackReader } from './hpack-reader.ts';
import { type Dial, openSocket } from './open-socket.ts';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
/**
 * Of headers or trailers of one answer. A peer that knows the limit resets a
 * stream that needs more; one that does not loses it.
 */
const MAX_HEADER_BYTES = 60_000;
/** What a peer may send on one stream, and on all, before it is granted more. Answers are taken at once. */
const STREAM_WINDOW_BYTES = 2 ** 20;
const WINDOW_BYTES = 16 * 2 ** 20;
/** Of the headers of a request. No server takes so many. */
const MAX_REQUEST_HEADER_BYTES = 256 * 1024;
const PING_BYTES = 8;

export interface SessionEvents {
  /** The peer has sent its settings: it speaks HTTP/2 and is alive. */
  onReady(): void;
  /** It takes no new requests: the peer says so, or all numbers of streams are used. */
  onGoAway(): void;
  /** Once, and last. `error` says why; undefined when either side ended it. */
  onClose(error: Error | undefined): void;
}

export class H2Session {
  readonly #socket: Socket;
  readonly #events: SessionEvents;
  readonly #sender: H2Sender;
  readonly #reader = new FrameReader();
  readonly #headers = new HpackReader(MAX_HEADER_BYTES);
  #isReady = false;
  #isDraining = false;
  #isDestroyed = false;
  #error: Error | undefined;
  #onPong: (() => void) | undefined;

  /** On a socket that is connected, or on a new one. `dial` is `connect` of Node, unless a test is the peer. */
  constructor(target: NetConnectOpts | Socket, events: SessionEvents, dial: Dial = connect) {
    this.#events = events;
    this.#socket = openSocket(target, dial, (bytes) => this.#receive(bytes));
    this.#sender = new H2Sender(this.#socket);
    this.#socket.on('error', (error) => {
      this.#error ??= error;
    });
    this.#socket.setNoDelay(true);
    this.#socket.on('end', () => this.destroy());
    if (this.#socket.closed) setImmediate(() => this.#closed());
    else this.#socket.once('close', () => this.#closed());
    this.#socket.write(PREFACE);
    this.#socket.write(
      toSettingsFrame([
        [Setting.ENABLE_PUSH, 0],
        [Setting.INITIAL_WINDOW_SIZE, STREAM_WINDOW_BYTES],
        [Setting.MAX_HEADER_LIST_SIZE, MAX_HEADER_BYTES],
      ]),
    );
    this.#socket.write(toNumberFrame(FrameType.WINDOW_UPDATE, 0, WINDOW_BYTES));
  }

  /** True from the moment it is lost, which may be before its streams hear of it. */
  get isDestroyed(): boolean {
    return this.#isDestroyed;
  }

  /** Why it was lost, when that is known. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** How many requests the peer takes at a time, as far as it has said. */
  get maxStreams(): number {
    return this.#sender.maxStreams;
  }

  /**
   * Sends a request, at once or when the peer has a place for it. The session must be ready. One that takes no new
   * requests any more closes the stream before this returns.
   */
  request(headerBlock: Buffer, body: Uint8Array, listener: StreamListener): H2Stream {
    if (headerBlock.length > MAX_REQUEST_HEADER_BYTES)
      throw new Error('the headers of a request are too large');
    if (this.#sender.isStuck)
      this.destroy(new H2Error(H2Code.ENHANCE_YOUR_CALM, 'the peer does not read what it is sent'));
    const stream = new H2Stream(this, headerBlock, body, listener);
    if (this.#isDraining || this.#isDestroyed) {
      stream.close(H2Code.REFUSED_STREAM, this.#isDestroyed);
      return stream;
    }
    this.#sender.request(stream);
    if (this.#sender.isExhausted) {
      this.#isDraining = true;
      this.#events.onGoAway();
    }
    return stream;
  }

  /** For a stream that its owner cancels. */
  reset(stream: H2Stream, code: number): void {
    if (stream.id !== 0) this.#socket.write(toNumberFrame(FrameType.RST_STREAM, stream.id, code));
    this.#sender.forget(stream);
    this.#endIfDrained();
  }

  /** Asks the peer for a sign of life. Any answer to a ping calls `onAnswer`, until there is another. */
  ping(onAnswer: () => void): void {
    if (this.#isDestroyed) return;
    this.#onPong = onAnswer;
    this.#socket.write(toFrame(FrameType.PING, 0, 0, PING));
  }

  /** Takes no new requests, and ends when those under way have. */
  close(): void {
    this.#isDraining = true;
    this.#endIfDrained();
  }

  /** Ends at once; streams under way are lost. */
  destroy(error?: Error): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.#error ??= error;
    this.#socket.destroy();
  }

  #endIfDrained(): void {
    if (this.#isDraining && this.#sender.open.size === 0 && this.#sender.waiting === 0) this.destroy();
  }

  #closed(): void {
    this.#isDestroyed = true;
    const streams = [...this.#sender.open.values(), ...this.#sender.takeWaiting()];
    this.#sender.open.clear();
    for (const stream of streams) stream.close(stream.id === 0 ? H2Code.REFUSED_STREAM : H2Code.CANCEL, true);
    this.#events.onClose(this.#error);
  }

  #receive(bytes: Buffer): void {
    if (this.#isDestroyed) return;
    try {
      this.#reader.push(bytes);
      for (let frame = this.#reader.next(); frame !== undefined; frame = this.#reader.next()) {
        this.#take(frame);
        if (this.#isDestroyed) break;
      }
    } catch (error) {
      const code = error instanceof H2Error ? error.code : H2Code.COMPRESSION_ERROR;
      this.#socket.write(toGoAwayFrame(code));
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #take(frame: Frame): void {
    const { type } = frame;
    if (!this.#isReady && type !== FrameType.SETTINGS) throw broken('the settings are missing');
    if (type === FrameType.DATA) this.#takeData(frame);
    else if (type === FrameType.HEADERS) this.#takeHeaders(frame);
    else if (type === FrameType.WINDOW_UPDATE)
      this.#sender.grant(frame.stream, readNumber(frame) & 0x7fffffff);
    else if (type === FrameType.PING) this.#takePing(frame);
    else if (type === FrameType.RST_STREAM) this.#takeReset(frame);
    else if (type === FrameType.SETTINGS) this.#takeSettings(frame);
    else if (type === FrameType.GOAWAY) this.#takeGoAway(frame);
    else if (type === FrameType.PUSH_PROMISE) throw broken('the peer pushes although it must not');
  }

  #takeReset(frame: Frame): void {
    const code = readNumber(frame);
    const stream = this.#sender.open.get(frame.stream);
    if (stream !== undefined) this.#end(stream, code);
  }

  #takePing({ flags, payload }: Frame): void {
    if (payload.length !== PING_BYTES) throw wrongSize();
    if ((flags & Flag.ACK) === 0) this.#sender.reply(toFrame(FrameType.PING, Flag.ACK, 0, payload));
    else this.#onPong?.();
  }

  #takeData({ stream: id, flags, payload, length }: Frame): void {
    const granted = this.#sender.countReceived(length, WINDOW_BYTES / 2);
    if (granted > 0) this.#sender.reply(toNumberFrame(FrameType.WINDOW_UPDATE, 0, granted));
    const stream = this.#sender.open.get(id);
    if (stream === undefined) return;
    if (!stream.hasHead) this.#break(stream, H2Code.PROTOCOL_ERROR);
    stream.takeData(payload);
    if ((flags & Flag.END_STREAM) !== 0) this.#finish(stream);
    stream.received += length;
    if (stream.received < STREAM_WINDOW_BYTES / 2 || stream.isClosed) return;
    this.#sender.reply(toNumberFrame(FrameType.WINDOW_UPDATE, id, stream.received));
    stream.received = 0;
  }

  /** Read even when the stream has ended, for what the peer numbers in them. */
  #takeHeaders({ stream: id, flags, payload }: Frame): void {
    const { headers, isTooLarge } = this.#headers.read(payload);
    const stream = this.#sender.open.get(id);
    if (stream === undefined) return;
    const isEnd = (flags & Flag.END_STREAM) !== 0;
    // An interim answer: the real one is to come.
    if (!isEnd && !stream.hasHead && headers.get(':status')?.startsWith('1')) return;
    if (isTooLarge) this.#break(stream, H2Code.ENHANCE_YOUR_CALM);
    // What comes behind a head and an answer is their end.
    else if (!isEnd && stream.hasHead) this.#break(stream, H2Code.PROTOCOL_ERROR);
    stream.takeHeaders(headers);
    if (isEnd) this.#finish(stream);
  }

  #takeSettings({ flags, payload }: Frame): void {
    if ((flags & Flag.ACK) !== 0) return;
    if (payload.length % 6 !== 0) throw new H2Error(H2Code.FRAME_SIZE_ERROR, 'the settings are cut off');
    // First: larger windows are filled at once, and the peer grants them when it has this.
    this.#sender.reply(toFrame(FrameType.SETTINGS, Flag.ACK, 0, EMPTY));
    for (let at = 0; at < payload.length; at += 6)
      this.#sender.set(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    if (this.#isReady) return;
    this.#isReady = true;
    this.#events.onReady();
  }

  /** Requests beyond the last that the peer took were not and will not be answered. */
  #takeGoAway(frame: Frame): void {
    if (frame.payload.length < 8) throw new H2Error(H2Code.FRAME_SIZE_ERROR, 'a frame is too short');
    const last = frame.payload.readUInt32BE(0) & 0x7fffffff;
    const refused = [...this.#sender.open.values()].filter(({ id }) => id > last);
    for (const stream of this.#sender.takeWaiting()) stream.close(H2Code.REFUSED_STREAM, false);
    this.#events.onGoAway();
    this.#isDraining = true;
    for (const stream of refused) this.#end(stream, H2Code.REFUSED_STREAM);
    this.#endIfDrained();
  }

  /** The answer cannot be used: it costs its own request only. */
  #break(stream: H2Stream, code: number): void {
    this.reset(stream, H2Code.CANCEL);
    stream.close(code, false);
  }

  #finish(stream: H2Stream): void {
    stream.isComplete = true;
    // The peer has answered before it had the whole request, and wants no more of it.
    if (stream.body.byteLength > 0)
      this.#socket.write(toNumberFrame(FrameType.RST_STREAM, stream.id, H2Code.CANCEL));
    this.#end(stream, H2Code.NO_ERROR);
  }

  #end(stream: H2Stream, code: number): void {
    if (stream.isClosed) return;
    this.#sender.forget(stream);
    stream.close(code, false);
    this.#endIfDrained();
  }
}

const EMPTY = new Uint8Array();
const PING = new Uint8Array(PING_BYTES);

function broken(message: string): H2Error {
  return new H2Error(H2Code.PROTOCOL_ERROR, message);
}
