import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { FakeH2Peer } from '../../../test/fakes/fake-h2-peer.ts';
import { Flag, FrameType, H2Code, Setting, toFrame, toNumberFrame, toSettingsFrame } from './frame.ts';
import { FrameReader } from './frame-reader.ts';
import { H2Session } from './h2-session.ts';
import { encodeHeaders } from './hpack-writer.ts';

const SETTINGS = toSettingsFrame([]);
const PREFACE_BYTES = 24;

/** A server that sends what the test wants, and a session with it that has ended for a reason. */
async function sessionWith(send: (socket: Socket) => void): Promise<Error | undefined> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    send(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise((resolve) => {
      new H2Session({ host: '127.0.0.1', port }, { onReady: () => {}, onGoAway: () => {}, onClose: resolve });
    });
  } finally {
    server.close();
  }
}

/** A session that has the settings of its peer, and a request that notes how it ended. */
function readySession(): {
  peer: FakeH2Peer;
  session: H2Session;
  request: (body?: Uint8Array) => [code: number, isLost: boolean][];
} {
  const peer = new FakeH2Peer();
  const session = new H2Session(
    { port: 0 },
    { onReady: () => {}, onGoAway: () => {}, onClose: () => {} },
    (target) => peer.dial(target),
  );
  peer.send(SETTINGS);
  const request = (body: Uint8Array = Buffer.from('body')): [number, boolean][] => {
    const ends: [number, boolean][] = [];
    const onClose = (code: number, isLost: boolean): void => void ends.push([code, isLost]);
    session.request(Buffer.from('head'), body, { onHeaders: () => {}, onData: () => {}, onClose });
    return ends;
  };
  return { peer, session, request };
}

/** Types and streams of what the peer has got. */
function framesOf(peer: FakeH2Peer): [type: number, stream: number][] {
  const reader = new FrameReader();
  reader.push(peer.received);
  const frames: [number, number][] = [];
  for (let frame = reader.next(); frame !== undefined; frame = reader.next())
    frames.push([frame.type, frame.stream]);
  return frames;
}

function goAway(last: number): Buffer {
  const detail = Buffer.alloc(8);
  detail.writeUInt32BE(last, 0);
  return toFrame(FrameType.GOAWAY, 0, 0, detail);
}

describe('H2Session', () => {
  it('refuses at once what is asked after the peer has said that it takes nothing more', () => {
    const { peer, request } = readySession();
    const before = request();
    peer.send(goAway(1));
    assert.deepEqual(request(), [[H2Code.REFUSED_STREAM, false]]);
    assert.deepEqual(before, [], 'what is under way goes on');
    assert.ok(!framesOf(peer).some(([, stream]) => stream === 3));
  });

  it('ends at once what is asked after the connection was lost', () => {
    const { peer, request } = readySession();
    peer.end();
    assert.deepEqual(request(), [[H2Code.REFUSED_STREAM, true]]);
  });

  it('does not answer a reset with a reset', () => {
    const { peer, request } = readySession();
    peer.send(toSettingsFrame([[Setting.INITIAL_WINDOW_SIZE, 0]]));
    const ends = request();
    peer.send(toNumberFrame(FrameType.RST_STREAM, 1, H2Code.NO_ERROR));
    assert.deepEqual(ends, [[H2Code.NO_ERROR, false]]);
    assert.ok(!framesOf(peer).some(([type]) => type === FrameType.RST_STREAM));
  });

  it('uses larger windows and more streams only behind its word that it has the settings', () => {
    const { peer, request } = readySession();
    peer.send(
      toSettingsFrame([
        [Setting.INITIAL_WINDOW_SIZE, 0],
        [Setting.MAX_CONCURRENT_STREAMS, 1],
      ]),
    );
    request();
    request();
    const before = framesOf(peer).length;
    peer.send(
      toSettingsFrame([
        [Setting.MAX_CONCURRENT_STREAMS, 2],
        [Setting.INITIAL_WINDOW_SIZE, 100],
      ]),
    );
    const { SETTINGS: ACK, HEADERS, DATA } = FrameType;
    assert.deepEqual(framesOf(peer).slice(before), [
      [ACK, 0],
      [HEADERS, 3],
      [DATA, 1],
      [DATA, 3],
    ]);
  });

  it('fails a request whose answer is out of order, and no other', () => {
    const head = (flags = 0): Buffer =>
      toFrame(FrameType.HEADERS, Flag.END_HEADERS | flags, 1, encodeHeaders([[':status', '200']]));
    const data = toFrame(FrameType.DATA, 0, 1, Buffer.from('x'));
    const interim = toFrame(FrameType.HEADERS, Flag.END_HEADERS, 1, encodeHeaders([[':status', '103']]));
    const rows: [what: string, frames: Buffer[], ends: [number, boolean][]][] = [
      ['data before a head', [data, head(Flag.END_STREAM)], [[H2Code.PROTOCOL_ERROR, false]]],
      ['data between an interim answer and a head', [interim, data], [[H2Code.PROTOCOL_ERROR, false]]],
      ['a second head', [head(), data, head()], [[H2Code.PROTOCOL_ERROR, false]]],
      ['an interim answer behind the head', [head(), interim], [[H2Code.PROTOCOL_ERROR, false]]],
      ['interim answers', [interim, interim, head(Flag.END_STREAM)], [[H2Code.NO_ERROR, false]]],
      ['trailers', [head(), data, head(Flag.END_STREAM)], [[H2Code.NO_ERROR, false]]],
    ];
    for (const [what, frames, ends] of rows) {
      const { peer, request } = readySession();
      const [first, second] = [request(), request()];
      for (const frame of frames) peer.send(frame);
      assert.deepEqual([first, second], [ends, []], what);
      assert.equal(peer.isClosed, false, what);
    }
  });

  it('sends requests that were never begun back as refused when the connection is lost', async () => {
    const { peer, request } = readySession();
    peer.send(toSettingsFrame([[Setting.MAX_CONCURRENT_STREAMS, 1]]));
    const [begun, waiting] = [request(), request()];
    peer.end();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([begun, waiting], [[[H2Code.CANCEL, true]], [[H2Code.REFUSED_STREAM, true]]]);
  });

  it('asks for a sign of life and hears the answer', () => {
    const { peer, session } = readySession();
    let answers = 0;
    session.ping(() => answers++);
    assert.ok(framesOf(peer).some(([type]) => type === FrameType.PING));
    assert.equal(answers, 0);
    peer.send(toFrame(FrameType.PING, Flag.ACK, 0, Buffer.alloc(8)));
    assert.equal(answers, 1);
  });

  it('leaves a peer that does not read what it is sent', () => {
    const { peer, request } = readySession();
    peer.unread = 2 ** 25;
    assert.deepEqual(request(), [[H2Code.REFUSED_STREAM, true]]);
    assert.equal(peer.isClosed, true);
  });

  it('ends with a peer that does not speak HTTP/2 or breaks its rules', async () => {
    const rows: [what: Buffer, error: RegExp][] = [
      [Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), /too large/],
      [toFrame(FrameType.PING, 0, 0, Buffer.alloc(8)), /settings are missing/],
      [Buffer.concat([SETTINGS, toFrame(FrameType.PUSH_PROMISE, 0, 1, Buffer.alloc(8))]), /pushes/],
      [Buffer.concat([SETTINGS, toFrame(FrameType.HEADERS, Flag.END_HEADERS, 1, Buffer.of(0x80))]), /number/],
      [Buffer.concat([SETTINGS, toFrame(FrameType.WINDOW_UPDATE, 0, 0, Buffer.alloc(3))]), /wrong size/],
      [toFrame(FrameType.SETTINGS, 0, 0, Buffer.alloc(5)), /cut off/],
      [Buffer.concat([SETTINGS, toFrame(FrameType.PING, 0, 0, Buffer.alloc(9))]), /wrong size/],
      [Buffer.concat([SETTINGS, toFrame(FrameType.GOAWAY, 0, 0, Buffer.alloc(4))]), /too short/],
    ];
    for (const [what, error] of rows) {
      const reason = await sessionWith((socket) => socket.write(what));
      assert.match(String(reason), error);
    }
  });

  it('ends without an error when the peer ends it', async () => {
    assert.equal(await sessionWith((socket) => socket.end(SETTINGS)), undefined);
  });

  it('answers pings and settings, and takes headers of streams it no longer has', async () => {
    const answers: number[] = [];
    const ping = toFrame(FrameType.PING, 0, 0, Buffer.from('12345678'));
    const head = toFrame(FrameType.HEADERS, Flag.END_HEADERS, 1, encodeHeaders([['a', 'b']]));
    await sessionWith((socket) => {
      const reader = new FrameReader();
      let skipped = 0;
      socket.on('data', (chunk) => {
        const rest = Math.max(0, PREFACE_BYTES - skipped);
        skipped += chunk.length;
        reader.push(Buffer.from(chunk.subarray(rest)));
        for (let frame = reader.next(); frame !== undefined; frame = reader.next())
          if (frame.flags === Flag.ACK) answers.push(frame.type);
        if (answers.length === 2) socket.destroy();
      });
      socket.write(Buffer.concat([SETTINGS, head, ping]));
    });
    assert.deepEqual(answers, [FrameType.SETTINGS, FrameType.PING]);
  });
});
