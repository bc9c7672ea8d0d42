import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { Flag, FrameType, toFrame, toSettingsFrame } from './frame.ts';
import { FrameReader } from './frame-reader.ts';
import { H2Session } from './h2-session.ts';
import { encodeHeaders } from './hpack.ts';

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

describe('H2Session', () => {
  it('ends with a peer that does not speak HTTP/2 or breaks its rules', async () => {
    const rows: [what: Buffer, error: RegExp][] = [
      [Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), /too large/],
      [toFrame(FrameType.PING, 0, 0, Buffer.alloc(8)), /settings are missing/],
      [Buffer.concat([SETTINGS, toFrame(FrameType.PUSH_PROMISE, 0, 1, Buffer.alloc(8))]), /pushes/],
      [Buffer.concat([SETTINGS, toFrame(FrameType.HEADERS, Flag.END_HEADERS, 1, Buffer.of(0x80))]), /number/],
      [Buffer.concat([SETTINGS, toFrame(FrameType.WINDOW_UPDATE, 0, 0, Buffer.alloc(3))]), /wrong size/],
      [toFrame(FrameType.SETTINGS, 0, 0, Buffer.alloc(5)), /cut off/],
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
