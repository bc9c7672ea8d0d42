/** Answers of a gRPC server: frames of HTTP/2 and the headers in them, as our client reads them. */
import assert from 'node:assert/strict';
import { Flag, FrameType, H2Error, toFrame, toSettingsFrame } from '../../../src/adapters/h2/frame.ts';
import { FrameReader } from '../../../src/adapters/h2/frame-reader.ts';
import { HpackError, HpackReader } from '../../../src/adapters/h2/hpack-reader.ts';
import { encodeHeaders } from '../../../src/adapters/h2/hpack-writer.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

const MAX_HEADER_BYTES = 1000;
const { DATA, HEADERS } = FrameType;
const TRAILERS = encodeHeaders([['grpc-status', '0']]);
/** A header that gets a number, and that number. */
const NUMBERED = Buffer.from('4001610578787878788ebe', 'hex');

const answer = Buffer.concat([
  toSettingsFrame([[3, 100]]),
  toFrame(HEADERS, Flag.END_HEADERS, 1, NUMBERED),
  toFrame(DATA, Flag.PADDED, 1, Buffer.from([1, 0, 0, 0, 0, 1, 7, 0])),
  toFrame(HEADERS, Flag.END_HEADERS | Flag.END_STREAM, 1, TRAILERS),
]);

function toLarge(type: number, flags: number, payload: (size: number) => Buffer): (size: number) => Buffer {
  return (size) => {
    const frame = toFrame(type, flags, 1, payload(Math.min(size, 16_000)));
    return Buffer.concat(Array(Math.ceil(size / frame.length)).fill(frame));
  };
}

export const h2: FuzzTarget = {
  name: 'h2',
  seeds: [answer],
  words: ['\u0000\u0000\u0000', '\u007f', '\u0001\u0004'],
  check: (input) => {
    const frames = new FrameReader();
    const headers = new HpackReader(MAX_HEADER_BYTES);
    try {
      for (const piece of [input.subarray(0, input.length / 2), input.subarray(input.length / 2)]) {
        frames.push(Buffer.from(piece));
        for (let frame = frames.next(); frame !== undefined; frame = frames.next()) {
          if (frame.type !== HEADERS) continue;
          const text = [...headers.read(frame.payload).headers].flat().join('');
          assert.ok(text.length <= MAX_HEADER_BYTES);
        }
      }
    } catch (error) {
      assert.ok(error instanceof H2Error || error instanceof HpackError, String(error));
    }
  },
  large: {
    'one number again and again': toLarge(HEADERS, Flag.END_HEADERS, (size) =>
      Buffer.concat([NUMBERED, Buffer.alloc(size, 0xbe)]),
    ),
    'new headers that push out others': toLarge(HEADERS, Flag.END_HEADERS, (size) =>
      Buffer.concat(Array(Math.ceil(size / 9)).fill(NUMBERED.subarray(0, 9))),
    ),
    'small frames': toLarge(DATA, 0, () => Buffer.alloc(0)),
  },
};
