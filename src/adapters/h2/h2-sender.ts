/**
 * What a client sends on an HTTP/2 connection: requests, as far as the peer
 * has room for them, and answers to its frames. A small request is one write.
 *
 * Invariants: no more data is sent than the peer granted; no more streams are
 * open than it allows; a peer that makes us answer and does not read is left.
 */
import {
  DEFAULT_WINDOW_BYTES,
  Flag,
  FRAME_HEAD_BYTES,
  FrameType,
  H2Code,
  H2Error,
  MAX_FRAME_BYTES,
  MAX_WINDOW_BYTES,
  Setting,
  toFrame,
  toHeaderFrames,
  writeFrameHead,
} from './frame.ts';
import type { H2Stream } from './h2-stream.ts';

const MAX_STREAM_ID = 2 ** 31 - 1;
/** Of answers to frames, when the peer does not read them. */
const MAX_UNSENT_BYTES = 4 * 2 ** 20;
/** Of all that was sent: a peer that reads so little is no peer for a further request. */
const MAX_BACKLOG_BYTES = 16 * 2 ** 20;
/** What a peer numbers headers in, unless it says otherwise. */
const USUAL_TABLE_BYTES = 4096;
/** "The table of numbered headers has room for nothing", as a block of headers says it first. */
const NO_TABLE = Buffer.of(0x20);

export interface ByteSink {
  write(bytes: Uint8Array): void;
  /** Written and not yet taken by the peer. */
  readonly writableLength: number;
}

export class H2Sender {
  readonly #sink: ByteSink;
  /** Those with data that the peer has no room for. */
  readonly #stalled = new Set<H2Stream>();
  readonly #waiting: H2Stream[] = [];
  readonly open = new Map<number, H2Stream>();
  readonly #lastId: number;
  #nextId = 1;
  #window = DEFAULT_WINDOW_BYTES;
  #streamWindow = DEFAULT_WINDOW_BYTES;
  #maxStreams = Number.POSITIVE_INFINITY;
  #unread = 0;
  /** We number no headers. A peer with a smaller table than usual has to hear so, once. */
  #table: 'usual' | 'smaller' | 'announced' = 'usual';

  /** `lastId` is smaller in tests. */
  constructor(sink: ByteSink, lastId = MAX_STREAM_ID) {
    this.#sink = sink;
    this.#lastId = lastId;
  }

  /** No stream can be opened any more. */
  get isExhausted(): boolean {
    return this.#nextId + 2 * this.#waiting.length > this.#lastId;
  }

  /** How many streams the peer allows. */
  get maxStreams(): number {
    return this.#maxStreams;
  }

  /** The peer leaves unread what it was sent. */
  get isStuck(): boolean {
    return this.#sink.writableLength > MAX_BACKLOG_BYTES;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Opens it now or when another has ended. */
  request(stream: H2Stream): void {
    if (this.open.size < this.#maxStreams) this.#start(stream);
    else this.#waiting.push(stream);
  }

  /** Forgets a stream that has ended; one that waited may begin. */
  forget(stream: H2Stream): void {
    this.#stalled.delete(stream);
    if (stream.id !== 0) this.open.delete(stream.id);
    else if (this.#waiting.includes(stream)) this.#waiting.splice(this.#waiting.indexOf(stream), 1);
    this.#startWaiting();
  }

  /** Streams that were never sent, which then belong to the caller. */
  takeWaiting(): H2Stream[] {
    return this.#waiting.splice(0);
  }

  /** An answer to what the peer has sent. Throws H2Error when it asks and does not read. */
  reply(frame: Buffer): void {
    if (this.#sink.writableLength > MAX_UNSENT_BYTES)
      throw new H2Error(H2Code.ENHANCE_YOUR_CALM, 'the peer does not read what it asks for');
    this.#sink.write(frame);
  }

  /** Throws H2Error. */
  grant(streamId: number, bytes: number): void {
    if (streamId === 0) {
      this.#window += bytes;
      if (this.#window > MAX_WINDOW_BYTES) throw tooMuch();
    } else {
      const stream = this.open.get(streamId);
      if (stream === undefined) return;
      stream.sendWindow += bytes;
      if (stream.sendWindow > MAX_WINDOW_BYTES) throw tooMuch();
    }
    for (const stream of this.#stalled) this.#sendBody(stream);
  }

  /** Throws H2Error. */
  set(setting: number, value: number): void {
    if (setting === Setting.MAX_CONCURRENT_STREAMS) {
      this.#maxStreams = value;
      this.#startWaiting();
    } else if (setting === Setting.INITIAL_WINDOW_SIZE) {
      if (value > MAX_WINDOW_BYTES) throw tooMuch();
      for (const stream of this.open.values()) stream.sendWindow += value - this.#streamWindow;
      this.#streamWindow = value;
      for (const stream of this.#stalled) this.#sendBody(stream);
    } else if (setting === Setting.HEADER_TABLE_SIZE) {
      if (value < USUAL_TABLE_BYTES && this.#table === 'usual') this.#table = 'smaller';
    }
  }

  /** How much of what was received is to be granted again; zero as long as it is not worth a frame. */
  countReceived(bytes: number, worth: number): number {
    this.#unread += bytes;
    if (this.#unread < worth) return 0;
    const all = this.#unread;
    this.#unread = 0;
    return all;
  }

  #startWaiting(): void {
    while (this.#waiting.length > 0 && this.open.size < this.#maxStreams) {
      const next = this.#waiting.shift();
      if (next !== undefined) this.#start(next);
    }
  }

  #start(stream: H2Stream): void {
    const { body } = stream;
    const block = this.#toBlock(stream.headerBlock);
    stream.id = this.#nextId;
    stream.sendWindow = this.#streamWindow;
    this.#nextId += 2;
    this.open.set(stream.id, stream);
    const room = Math.min(this.#window, stream.sendWindow, MAX_FRAME_BYTES);
    if (body.byteLength === 0) this.#sink.write(toHeaderFrames(stream.id, block, Flag.END_STREAM));
    else if (body.byteLength <= room && block.length <= MAX_FRAME_BYTES) this.#sendWhole(stream, block);
    else {
      this.#sink.write(toHeaderFrames(stream.id, block, 0));
      this.#sendBody(stream);
    }
  }

  #toBlock(block: Buffer): Buffer {
    if (this.#table !== 'smaller') return block;
    this.#table = 'announced';
    return Buffer.concat([NO_TABLE, block]);
  }

  #sendWhole(stream: H2Stream, block: Buffer): void {
    const { id, body } = stream;
    const headersEnd = FRAME_HEAD_BYTES + block.length;
    const bytes = Buffer.allocUnsafe(headersEnd + FRAME_HEAD_BYTES + body.byteLength);
    const [headers, data] = [
      { length: block.length, type: FrameType.HEADERS, flags: Flag.END_HEADERS, stream: id },
      { length: body.byteLength, type: FrameType.DATA, flags: Flag.END_STREAM, stream: id },
    ];
    bytes.set(block, writeFrameHead(bytes, 0, headers));
    bytes.set(body, writeFrameHead(bytes, headersEnd, data));
    this.#take(stream, body.byteLength);
    this.#sink.write(bytes);
  }

  #sendBody(stream: H2Stream): void {
    while (stream.body.byteLength > 0) {
      const room = Math.min(this.#window, stream.sendWindow, MAX_FRAME_BYTES, stream.body.byteLength);
      if (room <= 0) {
        this.#stalled.add(stream);
        return;
      }
      const flags = room === stream.body.byteLength ? Flag.END_STREAM : 0;
      const part = stream.body.subarray(0, room);
      this.#take(stream, room);
      this.#sink.write(toFrame(FrameType.DATA, flags, stream.id, part));
    }
    this.#stalled.delete(stream);
  }

  #take(stream: H2Stream, bytes: number): void {
    this.#window -= bytes;
    stream.sendWindow -= bytes;
    stream.body = stream.body.subarray(bytes);
  }
}

function tooMuch(): H2Error {
  return new H2Error(H2Code.FLOW_CONTROL_ERROR, 'the peer grants more than HTTP/2 allows');
}
