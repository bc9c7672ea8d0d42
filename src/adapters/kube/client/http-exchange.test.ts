/** One request with a peer that sends what no server should. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FakeH2Peer } from '../../../../test/fakes/fake-h2-peer.ts';
import {
  Flag,
  FrameType,
  H2Code,
  Setting,
  toFrame,
  toGoAwayFrame,
  toNumberFrame,
  toSettingsFrame,
} from '../../h2/frame.ts';
import { FrameReader } from '../../h2/frame-reader.ts';
import { H2Session } from '../../h2/h2-session.ts';
import { encodeHeaders } from '../../h2/hpack-writer.ts';
import { type ApiHttpRequest, type HttpResponse, runExchange, TransportError } from './http-exchange.ts';
import { RequestHead } from './request-head.ts';

const { DATA, HEADERS, CONTINUATION, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, WINDOW_UPDATE } = FrameType;
const { END_STREAM, END_HEADERS, PADDED } = Flag;

const GET: ApiHttpRequest = { method: 'GET', path: '/', headers: {} };
const head = (flags: number, ...headers: [string, string][]): Buffer =>
  toFrame(HEADERS, END_HEADERS | flags, 1, encodeHeaders([[':status', '200'], ...headers]));
const status = (value: string): Buffer =>
  toFrame(HEADERS, END_HEADERS | END_STREAM, 1, encodeHeaders([[':status', value]]));
const data = (flags: number, text: string): Buffer => toFrame(DATA, flags, 1, Buffer.from(text));

interface Run {
  readonly peer: FakeH2Peer;
  readonly answer: Promise<HttpResponse | Error>;
}

function start(request: Partial<ApiHttpRequest> = {}): Run {
  const peer = new FakeH2Peer();
  const events = { onReady: () => {}, onGoAway: () => {}, onClose: () => {} };
  const session = new H2Session({ port: 0 }, events, (target) => peer.dial(target));
  peer.send(toSettingsFrame([]));
  const place = { session, head: new RequestHead('https://api.example:6443') };
  const answer = runExchange(place, { ...GET, ...request }, new AbortController().signal).catch(
    (error: Error) => error,
  );
  return { peer, answer };
}

/** The code of the GOAWAY that was sent last; undefined without one. */
function goAwayOf(peer: FakeH2Peer): number | undefined {
  const reader = new FrameReader();
  reader.push(peer.received);
  let code: number | undefined;
  for (let frame = reader.next(); frame !== undefined; frame = reader.next())
    if (frame.type === FrameType.GOAWAY) code = frame.payload.readUInt32BE(4);
  return code;
}

describe('runExchange', () => {
  it('fails when the answer is malformed or cut off, and keeps the connection', async () => {
    const rows: [what: string, frames: Buffer[], message: RegExp][] = [
      ['a reset without an error', [head(0), data(0, 'x'), toNumberFrame(RST_STREAM, 1, 0)], /code 0/],
      ['a reset', [head(0), data(0, 'x'), toNumberFrame(RST_STREAM, 1, 2)], /code 2/],
      ['data before a head', [data(END_STREAM, 'x')], /code 1/],
      ['two heads', [head(0), head(0)], /code 1/],
      ['too few bytes', [head(0, ['content-length', '5']), data(END_STREAM, 'four')], /4 bytes instead of 5/],
      [
        'too many bytes',
        [head(0, ['content-length', '3']), data(END_STREAM, 'four')],
        /4 bytes instead of 3/,
      ],
      ['a length that is none', [head(0, ['content-length', 'x']), data(END_STREAM, 'four')], /instead of x/],
      ['no bytes', [head(END_STREAM, ['content-length', '5'])], /0 bytes instead of 5/],
      ...['', '99', '100', '600', '2000', '+200', '0x10'].map((value): [string, Buffer[], RegExp] => [
        `the status "${value}"`,
        [status(value)],
        /no HTTP status/,
      ]),
      [
        'no status',
        [toFrame(HEADERS, END_HEADERS | END_STREAM, 1, encodeHeaders([['a', 'b']]))],
        /no HTTP status/,
      ],
      ['a head beyond the limit', [toFrame(HEADERS, END_HEADERS, 1, Buffer.alloc(16_000, 0x88))], /code 11/],
    ];
    for (const [what, frames, message] of rows) {
      const { peer, answer } = start();
      for (const frame of frames) peer.send(frame);
      const error = await answer;
      assert.ok(error instanceof TransportError && error.delivery === 'maybe', what);
      assert.match(error.message, message, what);
      assert.deepEqual([peer.isClosed, goAwayOf(peer)], [false, undefined], what);
    }
  });

  it('loses the connection to a peer that breaks HTTP/2, with the code that says how', async () => {
    const open = toFrame(HEADERS, 0, 1, Buffer.alloc(1000, 0x88));
    const rows: [what: string, frames: Buffer[], code: number][] = [
      ['a frame that is too large', [toFrame(DATA, 0, 1, Buffer.alloc(16_385))], H2Code.FRAME_SIZE_ERROR],
      ['a window of three bytes', [toFrame(WINDOW_UPDATE, 0, 0, Buffer.alloc(3))], H2Code.FRAME_SIZE_ERROR],
      ['settings cut off', [toFrame(SETTINGS, 0, 0, Buffer.alloc(5))], H2Code.FRAME_SIZE_ERROR],
      ['a ping of nine bytes', [toFrame(PING, 0, 0, Buffer.alloc(9))], H2Code.FRAME_SIZE_ERROR],
      ['a push', [toFrame(PUSH_PROMISE, END_HEADERS, 1, Buffer.alloc(8))], H2Code.PROTOCOL_ERROR],
      ['padding beyond its frame', [toFrame(DATA, PADDED, 1, Buffer.of(9, 1))], H2Code.PROTOCOL_ERROR],
      ['a continuation of nothing', [toFrame(CONTINUATION, 0, 1, Buffer.of(0x88))], H2Code.PROTOCOL_ERROR],
      ['headers cut off', [open, data(0, 'x')], H2Code.PROTOCOL_ERROR],
      [
        'headers without end',
        [open, ...Array(70).fill(toFrame(CONTINUATION, 0, 1, Buffer.alloc(0)))],
        H2Code.ENHANCE_YOUR_CALM,
      ],
      [
        'windows beyond 2^31',
        Array(2).fill(toNumberFrame(WINDOW_UPDATE, 0, 2 ** 31 - 1)),
        H2Code.FLOW_CONTROL_ERROR,
      ],
      [
        'an initial window beyond 2^31',
        [toSettingsFrame([[Setting.INITIAL_WINDOW_SIZE, 2 ** 31]])],
        H2Code.FLOW_CONTROL_ERROR,
      ],
      [
        'a number of no header',
        [toFrame(HEADERS, END_HEADERS, 1, Buffer.of(0xbe))],
        H2Code.COMPRESSION_ERROR,
      ],
      [
        'a table beyond its limit',
        [toFrame(HEADERS, END_HEADERS, 1, Buffer.of(0x3f, 0xff, 0x7f))],
        H2Code.COMPRESSION_ERROR,
      ],
    ];
    for (const [what, frames, code] of rows) {
      const { peer, answer } = start();
      for (const frame of frames) peer.send(frame);
      const error = await answer;
      assert.ok(error instanceof TransportError && error.delivery === 'maybe', what);
      assert.deepEqual([peer.isClosed, goAwayOf(peer)], [true, code], what);
    }
  });

  it('was refused when the server goes away without it', async () => {
    const { peer, answer } = start();
    peer.send(toGoAwayFrame(H2Code.NO_ERROR));
    const error = await answer;
    assert.ok(error instanceof TransportError && error.delivery === 'refused');
  });

  it('takes an answer with padding, heads in pieces and trailers, however it is cut', async () => {
    const block = encodeHeaders([
      [':status', '200'],
      ['x', 'y'.repeat(300)],
    ]);
    const bytes = Buffer.concat([
      status('103').fill(END_HEADERS, 4, 5),
      toFrame(HEADERS, 0, 1, block.subarray(0, 100)),
      toFrame(CONTINUATION, END_HEADERS, 1, block.subarray(100)),
      toFrame(DATA, PADDED, 1, Buffer.from([3, ...Buffer.from('hello '), 0, 0, 0])),
      toNumberFrame(WINDOW_UPDATE, 1, 10),
      toFrame(0xee, 0xff, 1, Buffer.from('of another kind')),
      data(0, ''),
      data(0, 'world'),
      toFrame(HEADERS, END_HEADERS | END_STREAM, 1, encodeHeaders([['grpc-status', '0']])),
    ]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 20 }), async (cuts) => {
        const { peer, answer } = start();
        const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        for (const [index, end] of at.slice(1).entries()) peer.send(bytes.subarray(at[index], end));
        const response = await answer;
        assert.ok(!(response instanceof Error), String(response));
        assert.deepEqual([response.status, String(response.body)], [200, 'hello world']);
      }),
    );
  });

  it('settles whatever a peer sends, and takes no more than came', async () => {
    const frame = fc
      .tuple(fc.nat(11), fc.nat(255), fc.constantFrom(0, 1, 1, 1, 3), fc.uint8Array({ maxLength: 40 }))
      .map(([type, flags, stream, payload]) => toFrame(type, flags, stream, payload));
    const good = fc.constantFrom(head(0), data(0, 'x'), data(END_STREAM, 'x'), toSettingsFrame([]));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(frame, good), { maxLength: 12 }),
        fc.boolean(),
        async (frames, isWatch) => {
          let pieces = 0;
          const onData = (chunk: Buffer): void => {
            pieces += chunk.length;
          };
          const { peer, answer } = start(
            isWatch ? { onData } : { method: 'PATCH', body: 'x'.repeat(70_000) },
          );
          for (const one of frames) peer.send(one);
          peer.end();
          const end = await answer;
          assert.ok(end instanceof TransportError || !(end instanceof Error), String(end));
          const kept = end instanceof Error ? 0 : end.body.length;
          assert.ok(pieces + kept <= frames.reduce((sum, { length }) => sum + length, 0));
        },
      ),
    );
  });
});
