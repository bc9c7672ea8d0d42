/** Binary protocols: SPDY frames, the head of an HTTP answer, protobuf messages, channels of a WebSocket. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { decodeContainerStatusResponse, encodeContainerStatusResponse } from '../../../src/gen/cri.ts';
import { readResponseHead } from '../../../src/server/streaming/response-head.ts';
import { SpdyDecoder, SpdyEncoder, type SpdyFrame } from '../../../src/server/streaming/spdy-frames.ts';
import { type FuzzTarget, fill } from '../fuzz-target.ts';

const encoder = new SpdyEncoder();
const SPDY_SEEDS = [
  encoder.open(1, { streamtype: 'stdout' }),
  encoder.data(3, Buffer.from('hello'), true),
  Buffer.concat([encoder.ping(2), encoder.data(1, Buffer.alloc(300, 'x'))]),
  Buffer.from(
    '8003000200000004000000018003000300000008000000010000000580030007000000080000000100000000',
    'hex',
  ),
];

export const spdy: FuzzTarget = {
  name: 'spdy-frames',
  seeds: SPDY_SEEDS,
  words: ['\x80\x03', '\0\0\0\x04', '\x01\xff\xff\xff', '\0\0\0\0'],
  check(input) {
    const whole = decode([input]);
    const third = Math.ceil(input.length / 3);
    const pieces = [input.subarray(0, third), input.subarray(third, 2 * third), input.subarray(2 * third)];
    assert.deepEqual(decode(pieces), whole);
    const data = whole.filter((frame) => frame.kind === 'data');
    assert.ok(data.reduce((sum, { payload }) => sum + 8 + payload.length, 0) <= input.length);
    for (const { stream, payload, fin } of data)
      assert.deepEqual(decode([encoder.data(stream, payload, fin)]), [
        { kind: 'data', stream, payload, fin },
      ]);
  },
  large: {
    'empty frames': (size) => Buffer.alloc(size),
    'one frame': (size) => encoder.data(1, Buffer.alloc(size)),
    'a frame without end': (size) =>
      Buffer.concat([Buffer.from('0000000100ffffff', 'hex'), Buffer.alloc(size)]),
  },
};

function decode(pieces: readonly Buffer[]): SpdyFrame[] {
  const decoder = new SpdyDecoder();
  return pieces.flatMap((piece) => [...decoder.push(piece)]);
}

const REFUSALS = ['malformed HTTP response', 'the connection was closed'];

export const responseHead: FuzzTarget = {
  name: 'response-head',
  seeds: [
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: SPDY/3.1\r\nConnection: Upgrade\r\n\r\nrest',
    'HTTP/1.0 404\r\n\r\n',
    'HTTP/1.1 200 OK\r\nA: b\r\nA:\r\n: c\r\n\r\n\r\n',
  ],
  words: [
    '\r\n',
    '\r\n\r\n',
    '\n\n',
    ': ',
    'HTTP/1.1 ',
    '101',
    ' ',
    '\0',
    'X-Stream-Protocol-Version: v4.channel.k8s.io',
  ],
  async check(input) {
    const stream = new Readable({ read() {} });
    const half = input.length >> 1;
    const head = readResponseHead(stream, new AbortController().signal);
    if (half > 0) stream.push(input.subarray(0, half));
    if (input.length > half) stream.push(input.subarray(half));
    stream.push(null);
    try {
      const { status, raw, rest, headers } = await head;
      assert.ok(status >= 0 && status <= 999);
      assert.ok(Buffer.from(raw).toString('latin1').endsWith('\r\n\r\n'));
      assert.deepEqual(Buffer.concat([raw, rest]), input.subarray(0, raw.length + rest.length));
      for (const name of headers.keys()) assert.equal(name, name.trim().toLowerCase());
    } catch (error) {
      if (!(error instanceof Error) || !REFUSALS.includes(error.message)) throw error;
    } finally {
      stream.destroy();
    }
  },
  large: {
    headers: (size) => Buffer.from(`HTTP/1.1 200 OK\r\n${fill('a: b\r\n', size)}\r\n`),
    'no end': (size) => Buffer.from(fill('\r\n\r', size)),
    blanks: (size) => Buffer.from(`HTTP/1.1 200 OK\r\na:${fill(' ', size)}x\r\n\r\n`),
  },
};

const STATUS = encodeContainerStatusResponse({
  status: {
    id: 'abc',
    metadata: { name: 'web', attempt: 3 },
    createdAt: 1e18,
    labels: { a: 'b', __proto: 'c' },
    exitCode: -1,
  },
  info: { k: 'v' },
});

export const protobufMessage: FuzzTarget = {
  name: 'protobuf-message',
  seeds: [STATUS, STATUS.subarray(0, 20)],
  words: [
    '\xff\xff\xff\xff\x0f',
    '\x0a',
    '\x12\x00',
    '\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01',
    '__proto__',
  ],
  check(input) {
    try {
      const once = decodeContainerStatusResponse(input);
      assert.deepEqual(decodeContainerStatusResponse(encodeContainerStatusResponse(once)), once);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  },
  large: {
    'map entries': (size) => Buffer.from(fill('\x12\x06\x0a\x01a\x12\x01b', size), 'latin1'),
    'empty fields': (size) => Buffer.from(fill('\x0a\x00', size), 'latin1'),
    zeros: (size) => Buffer.alloc(size),
  },
};
