import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encodeFrame, FrameDecoder } from '../../../test/samples/web-socket-frames.ts';
import { encodeClientFrame, OPCODE, ServerFrameDecoder } from './client-frames.ts';

const content = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.constantFrom(125, 126, 65_535, 65_536).map((length) => new Uint8Array(length).fill(7)),
);

describe('client frames', () => {
  it('are what the server reads', () => {
    fc.assert(
      fc.property(content, (data) => {
        const [frame] = [...new FrameDecoder().push(encodeClientFrame(OPCODE.binary, data))];
        assert.deepEqual([frame?.opcode, frame?.payload], [OPCODE.binary, Buffer.from(data)]);
      }),
    );
  });

  it('read what the server writes, however it is cut', () => {
    fc.assert(
      fc.property(
        fc.array(content, { maxLength: 4 }),
        fc.integer({ min: 1, max: 5_000 }),
        (messages, size) => {
          const bytes = Buffer.concat(messages.map((message) => encodeFrame(OPCODE.binary, message)));
          const decoder = new ServerFrameDecoder();
          const frames = [];
          for (let at = 0; at < bytes.length; at += size)
            frames.push(...decoder.push(bytes.subarray(at, at + size)));
          assert.deepEqual(
            frames.map(({ payload }) => payload),
            messages.map((message) => Buffer.from(message)),
          );
        },
      ),
    );
  });
});
