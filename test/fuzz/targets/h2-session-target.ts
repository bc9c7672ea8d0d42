/** A whole HTTP/2 connection of our gRPC client, whose peer sends anything: three calls under way, one with a large body. */
import assert from 'node:assert/strict';
import { GrpcExchange } from '../../../src/adapters/grpc/grpc-exchange.ts';
import { GrpcError } from '../../../src/adapters/grpc/grpc-status.ts';
import {
  Flag,
  FrameType,
  Setting,
  toFrame,
  toNumberFrame,
  toSettingsFrame,
} from '../../../src/adapters/h2/frame.ts';
import { FrameReader } from '../../../src/adapters/h2/frame-reader.ts';
import { H2Session } from '../../../src/adapters/h2/h2-session.ts';
import { encodeHeaders } from '../../../src/adapters/h2/hpack-writer.ts';
import { FakeH2Peer } from '../../fakes/fake-h2-peer.ts';
import { type FuzzTarget, fill } from '../fuzz-target.ts';

const { DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION } = FrameType;
const BODY_BYTES: readonly number[] = [0, 10, 100_000];
const MAX_RECEIVE_BYTES = 10_000;
const DEFAULT_WINDOW_BYTES = 65_535;
/** Of our own: settings, windows, the heads of the calls, a last GOAWAY. */
const USUAL_BYTES = 1_000;

const settings = toSettingsFrame([
  [Setting.MAX_CONCURRENT_STREAMS, 2],
  [Setting.INITIAL_WINDOW_SIZE, 50],
]);
const head = encodeHeaders([[':status', '200']]);
const trailers = encodeHeaders([['grpc-status', '0']]);
const message = Buffer.from([0, 0, 0, 0, 2, 1, 2]);
const answer = (stream: number): Buffer =>
  Buffer.concat([
    toFrame(HEADERS, Flag.END_HEADERS, stream, head),
    toFrame(DATA, 0, stream, message),
    toFrame(HEADERS, Flag.END_HEADERS | Flag.END_STREAM, stream, trailers),
  ]);

const seeds = [
  [settings, answer(1), toNumberFrame(WINDOW_UPDATE, 0, 90_000), toNumberFrame(WINDOW_UPDATE, 5, 90_000)],
  [
    settings,
    answer(3),
    toFrame(PING, 0, 0, Buffer.alloc(8)),
    toFrame(GOAWAY, 0, 0, Buffer.from('0000000300000000', 'hex')),
  ],
  [
    settings,
    toNumberFrame(RST_STREAM, 1, 8),
    answer(5),
    toFrame(SETTINGS, Flag.ACK, 0, Buffer.alloc(0)),
    answer(3),
  ],
  [
    settings,
    toFrame(HEADERS, 0, 1, head),
    toFrame(CONTINUATION, Flag.END_HEADERS, 1, trailers),
    toFrame(DATA, 1, 1, message),
  ],
].map((frames) => Buffer.concat(frames));

const opened = toFrame(HEADERS, Flag.END_HEADERS, 1, head);

function after(frame: Buffer): (size: number) => Buffer {
  return (size) => Buffer.concat([settings, opened, ...Array(Math.ceil(size / frame.length)).fill(frame)]);
}

async function check(input: Buffer): Promise<void> {
  const peer = new FakeH2Peer();
  const closed = Promise.withResolvers<void>();
  const ends: number[] = [];
  const calls: Promise<void>[] = [];
  const session = new H2Session(
    { port: 0 },
    {
      onReady: () => {
        for (const [index, bytes] of BODY_BYTES.entries()) {
          const request = { path: '/a.B/C', body: new Uint8Array(bytes), onMessage: () => {} };
          const exchange = new GrpcExchange(request, MAX_RECEIVE_BYTES);
          calls.push(exchange.done);
          exchange.done.catch(() => {});
          exchange.start(session, () => ends.push(index));
        }
      },
      onGoAway: () => {},
      onClose: () => closed.resolve(),
    },
    peer.dial,
  );
  const half = Math.floor(input.length / 2);
  for (const piece of [input.subarray(0, half), input.subarray(half)]) peer.send(piece);
  peer.end();
  await closed.promise;
  assert.deepEqual(ends.toSorted(), [...calls.keys()], 'each call ends once');
  for (const end of await Promise.allSettled(calls))
    assert.ok(end.status === 'fulfilled' || end.reason instanceof GrpcError);
  checkSent(peer.received, input);
}

/** Well formed, no longer than what was asked for, and no more data than was granted. */
function checkSent(sent: Buffer, input: Buffer): void {
  const frames = new FrameReader();
  frames.push(sent);
  let data = 0;
  for (let frame = frames.next(); frame !== undefined; frame = frames.next())
    if (frame.type === DATA) data += frame.length;
  assert.ok(data <= BODY_BYTES.reduce((sum, bytes) => sum + bytes + 5, 0), `${data} bytes of data`);
  // Every answer of ours is to a frame of the peer, and none is longer by more than its head.
  assert.ok(sent.length - data <= USUAL_BYTES + 3 * input.length, `${sent.length} bytes sent`);
  if (!input.includes(WINDOW_UPDATE) && !input.includes(SETTINGS)) assert.ok(data <= DEFAULT_WINDOW_BYTES);
}

export const h2Session: FuzzTarget = {
  name: 'h2-session',
  isSlow: true,
  seeds,
  words: [
    '\u0000\u0000\u0000',
    '\u0000\u0000\u0008',
    '\u0001\u0004',
    '\u0000\u0000\u0000\u0001',
    '\u0000\u0000\u0000\u0005',
  ],
  check,
  large: {
    pings: after(toFrame(PING, 0, 0, Buffer.alloc(8))),
    'settings that open and close all windows': after(
      toSettingsFrame([
        [Setting.INITIAL_WINDOW_SIZE, 0],
        [Setting.INITIAL_WINDOW_SIZE, 2 ** 31 - 1],
      ]),
    ),
    'windows that grow by one': after(toNumberFrame(WINDOW_UPDATE, 5, 1)),
    'empty data': after(toFrame(DATA, 0, 1, Buffer.alloc(0))),
    'a message by single bytes': (size) =>
      Buffer.concat([
        settings,
        opened,
        toFrame(DATA, 0, 1, Buffer.from([0, 0, 0, 0x27, 0x10])),
        ...Array(Math.ceil(size / 10)).fill(toFrame(DATA, 0, 1, Buffer.alloc(1))),
      ]),
    'headers of streams that are no more': after(
      toFrame(HEADERS, Flag.END_HEADERS, 7, encodeHeaders([['a', fill('b', 100)]])),
    ),
  },
};
