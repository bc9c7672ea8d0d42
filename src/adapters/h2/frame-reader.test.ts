import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Flag, type Frame, FrameType, H2Error, toFrame, toNumberFrame } from './frame.ts';
import { FrameReader } from './frame-reader.ts';

function readAll(pieces: readonly Uint8Array[]): Frame[] {
  const reader = new FrameReader();
  const frames: Frame[] = [];
  for (const piece of pieces) {
    reader.push(Buffer.from(piece));
    for (let frame = reader.next(); frame !== undefined; frame = reader.next()) frames.push(frame);
  }
  return frames;
}

const { DATA, HEADERS, CONTINUATION, PING } = FrameType;
const text = (bytes: string): Buffer => Buffer.from(bytes);

describe('FrameReader', () => {
  it('reads the same frames however they are cut into packets', () => {
    const sent = Buffer.concat([
      toFrame(PING, 0, 0, Buffer.alloc(8, 7)),
      toFrame(HEADERS, Flag.END_HEADERS, 1, text('head')),
      toFrame(DATA, 0, 1, text('x'.repeat(300))),
      toNumberFrame(FrameType.WINDOW_UPDATE, 0, 5),
      toFrame(DATA, Flag.END_STREAM, 1, text('')),
    ]);
    const whole = readAll([sent]);
    assert.equal(whole.length, 5);
    fc.assert(
      fc.property(fc.array(fc.nat(sent.length), { maxLength: 20 }), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), sent.length];
        assert.deepEqual(readAll(at.slice(1).map((end, index) => sent.subarray(at[index], end))), whole);
      }),
    );
  });

  it('joins headers that come in several frames and takes padding and priority off', () => {
    const padded = Buffer.concat([Buffer.of(3), Buffer.alloc(5), text('one '), Buffer.alloc(3)]);
    const frames = readAll([
      toFrame(HEADERS, Flag.PADDED | Flag.PRIORITY | Flag.END_STREAM, 3, padded),
      toFrame(CONTINUATION, 0, 3, text('two ')),
      toFrame(CONTINUATION, Flag.END_HEADERS, 3, text('three')),
    ]);
    assert.deepEqual(
      frames.map(({ payload, flags }) => [String(payload), flags & Flag.END_STREAM]),
      [['one two three', Flag.END_STREAM]],
    );
  });

  it('refuses frames that are too large, out of place, or padded with more than they hold', () => {
    const open = toFrame(HEADERS, 0, 1, text('a'));
    const wrong = [
      [Buffer.from('ffffff000000000001', 'hex')],
      [toFrame(CONTINUATION, 0, 1, text('a'))],
      [open, toFrame(CONTINUATION, 0, 3, text('a'))],
      [open, toFrame(PING, 0, 0, Buffer.alloc(8))],
      [toFrame(DATA, Flag.PADDED, 1, Buffer.of(2, 0))],
      [toFrame(HEADERS, Flag.PRIORITY | Flag.END_HEADERS, 1, Buffer.alloc(4))],
    ];
    for (const frames of wrong) assert.throws(() => readAll(frames), H2Error);
  });

  it('bounds headers that do not end, in bytes and in frames', () => {
    const open = toFrame(HEADERS, 0, 1, text('a'));
    const flood = (payload: Buffer): Buffer[] => [
      open,
      ...Array(70).fill(toFrame(CONTINUATION, 0, 1, payload)),
    ];
    assert.throws(() => readAll(flood(Buffer.alloc(0))), /too large/);
    assert.throws(() => readAll(flood(Buffer.alloc(16_384)).slice(0, 20)), /too large/);
  });
});
