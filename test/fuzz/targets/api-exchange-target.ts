/** A whole HTTP/2 connection of our API client, whose peer sends anything: a read, a watch and a large write under way. */
import assert from 'node:assert/strict';
import {
  Flag,
  FrameType,
  Setting,
  toFrame,
  toNumberFrame,
  toSettingsFrame,
} from '../../../src/adapters/h2/frame.ts';
import { H2Session } from '../../../src/adapters/h2/h2-session.ts';
import { encodeHeaders } from '../../../src/adapters/h2/hpack-writer.ts';
import {
  type ApiHttpRequest,
  type HttpResponse,
  runExchange,
  TransportError,
} from '../../../src/adapters/kube/client/http-exchange.ts';
import { RequestHead } from '../../../src/adapters/kube/client/request-head.ts';
import { FakeH2Peer } from '../../fakes/fake-h2-peer.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

const { DATA, HEADERS, CONTINUATION, RST_STREAM, WINDOW_UPDATE, GOAWAY } = FrameType;
const HEADS = new RequestHead('https://api.example:6443');
const NEVER = new AbortController().signal;

const settings = toSettingsFrame([
  [Setting.HEADER_TABLE_SIZE, 0],
  [Setting.INITIAL_WINDOW_SIZE, 50],
]);
const block = encodeHeaders([
  [':status', '200'],
  ['content-length', '2'],
]);
const head = (stream: number): Buffer => toFrame(HEADERS, Flag.END_HEADERS, stream, block);
const body = (stream: number): Buffer => toFrame(DATA, Flag.END_STREAM, stream, Buffer.from('{}'));

const seeds = [
  [settings, head(1), body(1), head(3), toFrame(DATA, 0, 3, Buffer.from('{"type":"ADDED"}\n'))],
  [
    settings,
    toNumberFrame(WINDOW_UPDATE, 5, 90_000),
    toNumberFrame(WINDOW_UPDATE, 0, 90_000),
    head(5),
    body(5),
  ],
  [
    settings,
    head(1),
    toNumberFrame(RST_STREAM, 1, 0),
    toFrame(GOAWAY, 0, 0, Buffer.from('0000000300000000', 'hex')),
  ],
  [
    settings,
    toFrame(HEADERS, Flag.END_HEADERS, 1, encodeHeaders([[':status', '103']])),
    toFrame(HEADERS, 0, 1, block.subarray(0, 3)),
    toFrame(CONTINUATION, Flag.END_HEADERS, 1, block.subarray(3)),
    toFrame(DATA, Flag.PADDED, 1, Buffer.from([1, 0x7b, 0x7d, 0])),
    toFrame(HEADERS, Flag.END_HEADERS | Flag.END_STREAM, 1, encodeHeaders([['x', 'y']])),
  ],
].map((frames) => Buffer.concat(frames));

async function check(input: Buffer): Promise<void> {
  const peer = new FakeH2Peer();
  const closed = Promise.withResolvers<void>();
  const ends: Promise<HttpResponse>[] = [];
  let streamed = 0;
  const requests: readonly Partial<ApiHttpRequest>[] = [
    {},
    { onData: (chunk) => (streamed += chunk.length) },
    { method: 'PATCH', body: 'x'.repeat(100_000) },
  ];
  const session = new H2Session(
    { port: 0 },
    {
      onReady: () => {
        for (const request of requests) {
          const whole: ApiHttpRequest = { method: 'GET', path: '/', headers: {}, ...request };
          ends.push(runExchange({ session, head: HEADS }, whole, NEVER));
          ends.at(-1)?.catch(() => {});
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
  let kept = streamed;
  for (const end of await Promise.allSettled(ends)) {
    if (end.status === 'rejected') assert.ok(end.reason instanceof TransportError, String(end.reason));
    else kept += end.value.body.length;
  }
  assert.ok(kept <= input.length, `${kept} bytes of ${input.length}`);
}

export const apiExchange: FuzzTarget = {
  name: 'api-exchange',
  isSlow: true,
  seeds,
  words: ['\u0000\u0000\u0000', '\u0001\u0004', '\u0000\u0000\u0000\u0001', '\u0000\u0000\u0000\u0003'],
  check,
  large: {
    'an answer by single bytes': (size) =>
      Buffer.concat([
        settings,
        toFrame(HEADERS, Flag.END_HEADERS, 1, block),
        ...Array(Math.ceil(size / 10)).fill(toFrame(DATA, 0, 1, Buffer.alloc(1))),
      ]),
    'interim answers': (size) => {
      const interim = toFrame(HEADERS, Flag.END_HEADERS, 1, encodeHeaders([[':status', '103']]));
      return Buffer.concat([settings, ...Array(Math.ceil(size / interim.length)).fill(interim)]);
    },
  },
};
