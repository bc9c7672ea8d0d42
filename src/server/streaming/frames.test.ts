import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { constants, inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { maskFrame } from '../../../test/samples/sample-clients.ts';
import { encodeFrame, type Frame, FrameDecoder, OPCODE } from '../../../test/samples/web-socket-frames.ts';
import { SpdyDecoder, SpdyEncoder, type SpdyFrame } from './spdy-frames.ts';

/** Cuts `bytes` at the given lengths, repeatedly. */
function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const length = lengths.length === 0 ? bytes.length : Math.max(1, lengths[i % lengths.length] ?? 1);
    parts.push(bytes.subarray(at, at + length));
    at += length;
  }
  return parts;
}

describe('FrameDecoder', () => {
  it('reassembles frames cut at any byte, unmasked', () => {
    const payloads = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 });
    fc.assert(
      fc.property(payloads, fc.array(fc.integer({ min: 1, max: 40 })), (sent, lengths) => {
        const bytes = Buffer.concat(sent.map((payload) => maskFrame(OPCODE.binary, payload)));
        const decoder = new FrameDecoder();
        const frames = cut(bytes, lengths).flatMap((part) => [...decoder.push(part)]);
        assert.deepEqual(
          frames.map(({ payload }) => [...payload]),
          sent.map((payload) => [...payload]),
        );
      }),
    );
  });

  it('accepts long frames', () => {
    const payload = Buffer.alloc(70_000, 'x');
    const [frame] = [...new FrameDecoder().push(maskFrame(OPCODE.binary, payload))];
    assert.deepEqual(frame?.payload, payload);
  });

  for (const [what, bytes] of [
    ['without mask', Buffer.from([0x82, 0x01, 0x00])],
    ['with reserved bits', Buffer.from([0xc2, 0x80, 0, 0, 0, 0])],
    ['of an unknown kind', Buffer.from([0x83, 0x80, 0, 0, 0, 0])],
    ['that go on what never began', Buffer.from([0x80, 0x80, 0, 0, 0, 0])],
    ['of control in pieces', Buffer.from([0x09, 0x80, 0, 0, 0, 0])],
    ['of control that are long', Buffer.from([0x89, 0xfe, 0, 200])],
    ['that are too long', Buffer.from([0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])],
  ] as const)
    it(`refuses frames ${what}`, () => {
      assert.throws(() => [...new FrameDecoder().push(bytes)]);
    });

  it('only ever fails by refusing, for any input', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        let frames: Frame[] = [];
        try {
          frames = [...new FrameDecoder().push(bytes)];
        } catch (error) {
          assert.match(String(error), /frame|piece/);
        }
        assert.ok(frames.every(({ payload }) => payload.length <= bytes.length));
      }),
    );
  });
});

describe('encodeFrame', () => {
  it('writes each length in its shortest form', () => {
    assert.deepEqual([...encodeFrame(2, Buffer.alloc(125)).subarray(0, 2)], [0x82, 125]);
    assert.deepEqual([...encodeFrame(2, Buffer.alloc(126)).subarray(0, 4)], [0x82, 126, 0, 126]);
    assert.deepEqual(
      [...encodeFrame(2, Buffer.alloc(65536)).subarray(0, 10)],
      [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0],
    );
  });
});

describe('SpdyEncoder', () => {
  it('sends headers as one zlib stream that can be inflated block by block', () => {
    const encoder = new SpdyEncoder();
    const blocks = [
      encoder.open(1, { streamtype: 'error' }).subarray(18),
      encoder.open(3, { streamtype: 'data', port: '80' }).subarray(18),
    ];
    const read = (count: number): Buffer =>
      inflateSync(Buffer.concat(blocks.slice(0, count)), { finishFlush: constants.Z_SYNC_FLUSH });
    const first = read(1);
    assert.deepEqual(
      first,
      Buffer.concat([number(1), number(10), Buffer.from('streamtype'), number(5), Buffer.from('error')]),
    );
    const second = read(2).subarray(first.length);
    assert.equal(second.readUInt32BE(0), 2);
    assert.ok(second.includes('port'));
  });

  function number(value: number): Buffer {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  }
});

describe('SpdyDecoder', () => {
  it('reassembles frames cut at any byte', () => {
    const encoder = new SpdyEncoder();
    const bytes = Buffer.concat([
      encoder.data(3, Buffer.from('hello')),
      encoder.ping(2),
      encoder.data(5, Buffer.alloc(0), true),
      encoder.open(7, { a: 'b' }),
      Buffer.from([0x80, 3, 0, 3, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0, 1]),
      Buffer.from([0x80, 3, 0, 2, 1, 0, 0, 4, 0, 0, 0, 11]),
      Buffer.from([0x80, 3, 0, 7, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0]),
    ]);
    const expected: SpdyFrame[] = [
      { kind: 'data', stream: 3, fin: false, payload: Buffer.from('hello') },
      { kind: 'ping', id: 2 },
      { kind: 'data', stream: 5, fin: true, payload: Buffer.alloc(0) },
      { kind: 'other' },
      { kind: 'reset', stream: 9 },
      { kind: 'reply', stream: 11, fin: true },
      { kind: 'go-away' },
    ];
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 30 })), (lengths) => {
        const decoder = new SpdyDecoder();
        assert.deepEqual(
          cut(bytes, lengths).flatMap((part) => [...decoder.push(part)]),
          expected,
        );
      }),
    );
  });
});
