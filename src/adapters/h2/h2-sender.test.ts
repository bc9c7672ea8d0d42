import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Flag, type Frame, FrameType, H2Error, Setting } from './frame.ts';
import { FrameReader } from './frame-reader.ts';
import { H2Sender } from './h2-sender.ts';
import { H2Stream } from './h2-stream.ts';

/** Keeps what is sent. */
class Peer {
  readonly #reader = new FrameReader();
  writableLength = 0;

  write(bytes: Uint8Array): void {
    this.#reader.push(Buffer.from(bytes));
  }

  frames(): Frame[] {
    const frames: Frame[] = [];
    for (let frame = this.#reader.next(); frame !== undefined; frame = this.#reader.next())
      frames.push(frame);
    return frames;
  }

  /** Bytes of data by stream, with the number of those that have ended. */
  data(): { bytes: Record<number, number>; ended: number } {
    const bytes: Record<number, number> = {};
    let ended = 0;
    for (const { type, stream, length, flags } of this.frames()) {
      if (type !== FrameType.DATA) continue;
      bytes[stream] = (bytes[stream] ?? 0) + length;
      if ((flags & Flag.END_STREAM) !== 0) ended++;
    }
    return { bytes, ended };
  }
}

function toStream(bytes: number, head = Buffer.from('head')): H2Stream {
  const listener = { onHeaders: () => {}, onData: () => {}, onClose: () => {} };
  return new H2Stream({ reset: () => {} }, head, new Uint8Array(bytes), listener);
}

describe('H2Sender', () => {
  it('sends a small request whole, with numbers that clients use', () => {
    const peer = new Peer();
    const sender = new H2Sender(peer);
    for (let count = 0; count < 2; count++) sender.request(toStream(10));
    assert.deepEqual(
      peer.frames().map(({ type, stream, flags }) => [type, stream, flags]),
      [
        [FrameType.HEADERS, 1, Flag.END_HEADERS],
        [FrameType.DATA, 1, Flag.END_STREAM],
        [FrameType.HEADERS, 3, Flag.END_HEADERS],
        [FrameType.DATA, 3, Flag.END_STREAM],
      ],
    );
  });

  it('never sends more than the connection and the stream were granted', () => {
    const peer = new Peer();
    const sender = new H2Sender(peer);
    sender.request(toStream(100_000));
    sender.request(toStream(1000));
    assert.deepEqual(peer.data(), { bytes: { 1: 65_535 }, ended: 0 });
    sender.grant(0, 1000);
    assert.deepEqual(
      peer.data(),
      { bytes: { 3: 1000 }, ended: 1 },
      'the first stream has no room of its own',
    );
    sender.grant(1, 100_000);
    assert.deepEqual(peer.data(), { bytes: {}, ended: 0 });
    sender.grant(0, 100_000);
    assert.deepEqual(peer.data(), { bytes: { 1: 34_465 }, ended: 1 });
  });

  it('applies a changed window to streams that are open, and ends a peer that grants too much', () => {
    const peer = new Peer();
    const sender = new H2Sender(peer);
    sender.set(Setting.INITIAL_WINDOW_SIZE, 10);
    sender.request(toStream(30));
    assert.deepEqual(peer.data(), { bytes: { 1: 10 }, ended: 0 });
    sender.set(Setting.INITIAL_WINDOW_SIZE, 25);
    assert.deepEqual(peer.data(), { bytes: { 1: 15 }, ended: 0 });
    assert.throws(() => sender.set(Setting.INITIAL_WINDOW_SIZE, 2 ** 31), H2Error);
    assert.throws(() => sender.grant(1, 2 ** 31 - 1 + 100), H2Error);
    assert.throws(() => sender.grant(0, 2 ** 31 - 1), H2Error);
  });

  it('keeps requests beyond the allowed number until others have ended, in order', () => {
    const peer = new Peer();
    const sender = new H2Sender(peer);
    sender.set(Setting.MAX_CONCURRENT_STREAMS, 1);
    const streams = [toStream(1), toStream(1), toStream(1)] as const;
    for (const stream of streams) sender.request(stream);
    sender.forget(streams[1]);
    assert.deepEqual(peer.data().bytes, { 1: 1 });
    sender.forget(streams[0]);
    assert.deepEqual(peer.data().bytes, { 3: 1 });
    assert.equal(streams[2].id, 3);
    assert.equal(sender.waiting, 0);
  });

  it('ends a request without a body with its headers, whatever room there is', () => {
    const peer = new Peer();
    const sender = new H2Sender(peer);
    sender.set(Setting.INITIAL_WINDOW_SIZE, 0);
    sender.request(toStream(0));
    assert.deepEqual(
      peer.frames().map(({ type, flags }) => [type, flags]),
      [[FrameType.HEADERS, Flag.END_HEADERS | Flag.END_STREAM]],
    );
  });

  it('sends headers that are larger than a frame in several, which nothing comes between', () => {
    for (const [bytes, count] of [
      [16_384, 1],
      [16_385, 2],
      [40_000, 3],
    ] as const) {
      const raw: number[] = [];
      let joined = 0;
      const reader = new FrameReader();
      const sender = new H2Sender({
        writableLength: 0,
        write: (sent) => {
          for (let at = 0; at < sent.length; at += 9 + Buffer.from(sent).readUIntBE(at, 3))
            raw.push(sent[at + 3] ?? -1);
          reader.push(Buffer.from(sent));
        },
      });
      sender.request(toStream(5, Buffer.alloc(bytes, 'x')));
      for (let frame = reader.next(); frame !== undefined; frame = reader.next())
        if (frame.type === FrameType.HEADERS) joined += frame.payload.length;
      const more = Array<number>(count - 1).fill(FrameType.CONTINUATION);
      assert.deepEqual([raw, joined], [[FrameType.HEADERS, ...more, FrameType.DATA], bytes]);
    }
  });

  it('announces an empty table of headers once, to a peer that has a smaller one than usual', () => {
    const peer = new Peer();
    const sender = new H2Sender(peer);
    const blocks = (): string[] =>
      peer.frames().flatMap(({ type, payload }) => (type === FrameType.HEADERS ? [String(payload)] : []));
    sender.set(Setting.HEADER_TABLE_SIZE, 8192);
    sender.request(toStream(1));
    assert.deepEqual(blocks(), ['head']);
    sender.set(Setting.HEADER_TABLE_SIZE, 100);
    for (let count = 0; count < 2; count++) sender.request(toStream(1));
    sender.set(Setting.HEADER_TABLE_SIZE, 0);
    sender.request(toStream(1));
    assert.deepEqual(blocks(), [' head', 'head', 'head']);
  });

  it('says when a peer leaves unread what it was sent', () => {
    const peer = new Peer();
    const sender = new H2Sender(peer);
    assert.equal(sender.isStuck, false);
    peer.writableLength = 2 ** 25;
    assert.equal(sender.isStuck, true);
  });

  it('says when all numbers of streams are used', () => {
    const sender = new H2Sender(new Peer(), 5);
    const used = [1, 2, 3].map(() => {
      sender.request(toStream(1));
      return sender.isExhausted;
    });
    assert.deepEqual(used, [false, false, true]);
  });

  it('leaves a peer that asks and does not read', () => {
    const peer = new Peer();
    const sender = new H2Sender(peer);
    sender.reply(Buffer.alloc(0));
    peer.writableLength = 2 ** 23;
    assert.throws(() => sender.reply(Buffer.alloc(0)), H2Error);
  });
});
