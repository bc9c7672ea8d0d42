/**
 * Messages of a WebSocket client in a session with the runtime. The input is
 * cut into messages: a byte for the length of each, then its bytes. What
 * reaches the runtime is compared with what the channels say; the rest of the
 * input plays the runtime's answer.
 */
import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { SpdyDecoder, SpdyEncoder } from '../../../src/server/streaming/spdy-frames.ts';
import { TranslatedSession } from '../../../src/server/streaming/translated-session.ts';
import type { WebSocketPeer } from '../../../src/server/streaming/web-socket-peer.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

const [STDIN, RESIZE, CLOSE] = [0, 4, 255];
/** In the order a session opens its streams: error, stdin, stdout, resize. */
const IDS = { error: 1, stdin: 3, stdout: 5, resize: 7 } as const;
const encoder = new SpdyEncoder();
const message = (...bytes: readonly number[]): Buffer => Buffer.of(bytes.length, ...bytes);

export const channels: FuzzTarget = {
  name: 'web-socket-channels',
  isSlow: true,
  seeds: [
    Buffer.concat([
      message(STDIN, 104, 105),
      message(RESIZE, 123, 125),
      message(CLOSE, STDIN),
      message(STDIN, 1),
    ]),
    Buffer.concat([
      message(1, 2, 3),
      message(),
      message(CLOSE),
      message(STDIN),
      message(200, 0),
      message(CLOSE, 9),
    ]),
    Buffer.concat([message(STDIN, 1), Buffer.of(0), encoder.data(IDS.stdout, Buffer.from('out'))]),
    Buffer.concat([Buffer.of(0), encoder.data(IDS.error, Buffer.from('{}'), true), encoder.ping(2)]),
  ],
  words: ['\0', '\x01\x04', '\x02\xff\0', '\x03\0ab', '\x80\x03\0\x07'],
  async check(input) {
    const { messages, answer } = cutInput(input);
    const { sent, toClient } = await runSession(messages, answer);
    assert.deepEqual(sent, expectSent(messages));
    for (const part of toClient) assert.ok([1, 2, 3].includes(part[0] ?? -1), `channel ${part[0]}`);
    assert.ok(toClient.reduce((sum, part) => sum + part.length, 0) <= input.length + 1024);
  },
  large: {
    'small messages': (size) => Buffer.alloc(size, message(STDIN, 1)),
    'frames of the runtime': (size) =>
      Buffer.concat([Buffer.of(0), Buffer.alloc(size, encoder.data(IDS.stdout, Buffer.from('x')))]),
  },
};

function cutInput(input: Buffer): { readonly messages: Buffer[]; readonly answer: Buffer } {
  const messages: Buffer[] = [];
  let at = 0;
  while (at < input.length) {
    const size = input[at++] ?? 0;
    if (size === 0) break;
    messages.push(input.subarray(at, at + size));
    at += size;
  }
  return { messages: messages.filter(({ length }) => length > 0), answer: input.subarray(at) };
}

/** What the runtime must get: by stream, all bytes and whether it was closed. */
function expectSent(messages: readonly Buffer[]): Record<string, string> {
  const sent = { stdin: '', resize: '' };
  let closed = false;
  for (const [number = -1, ...data] of messages) {
    const hex = Buffer.from(data).toString('hex');
    if (number === CLOSE && data[0] === STDIN && !closed) {
      sent.stdin += ' closed';
      closed = true;
    } else if (number === STDIN && !closed) sent.stdin += hex;
    else if (number === RESIZE) sent.resize += hex;
  }
  return sent;
}

/** A client that sends these messages and then closes; a runtime that answers when it has got them. */
async function runSession(
  messages: readonly Buffer[],
  answer: Buffer,
): Promise<{ readonly sent: Record<string, string>; readonly toClient: Buffer[] }> {
  const written: Buffer[] = [];
  const toClient: Buffer[] = [];
  const allTaken = Promise.withResolvers<void>();
  const runtime = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      written.push(Buffer.from(chunk));
      done();
    },
  });
  const client = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const peer = {
    send: (...parts: readonly Uint8Array[]) => Promise.resolve(void toClient.push(Buffer.concat(parts))),
    close: () => void client.end(),
    run: async (onMessage: (one: Buffer) => Promise<void>) => {
      for (const one of messages) await onMessage(one);
      allTaken.resolve();
      await new Promise(() => {});
    },
  } as unknown as WebSocketPeer;
  const streams = { stdin: true, stdout: true, stderr: false, tty: true };
  const clock = new FakeClock();
  const session = new TranslatedSession({
    ...{ client, peer, runtime, streams, clock, rest: new Uint8Array() },
    ...{ protocol: 'v4.channel.k8s.io', idleTimeoutMs: 0 },
  });
  const over = session.run(new AbortController().signal);
  await allTaken.promise;
  const sent = readSent(written);
  for (const half of [answer.subarray(0, answer.length >> 1), answer.subarray(answer.length >> 1)])
    if (half.length > 0) runtime.push(half);
  runtime.push(null);
  await over;
  runtime.destroy();
  client.destroy();
  return { sent, toClient };
}

function readSent(written: readonly Buffer[]): Record<string, string> {
  const sent: Record<string, string> = { stdin: '', resize: '' };
  const decoder = new SpdyDecoder();
  for (const frame of [...decoder.push(Buffer.concat(written))]) {
    if (frame.kind !== 'data') continue;
    const name = frame.stream === IDS.stdin ? 'stdin' : frame.stream === IDS.resize ? 'resize' : 'wrong';
    sent[name] = `${sent[name] ?? ''}${frame.payload.toString('hex')}${frame.fin ? ' closed' : ''}`;
  }
  return sent;
}
