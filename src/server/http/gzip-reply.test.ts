import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { acceptsGzip, toGzipReply } from './gzip-reply.ts';
import type { HttpReply, ReplySink } from './http-exchange.ts';

const GZIP = { headers: { 'accept-encoding': 'gzip' } };
const never = new AbortController().signal;

async function collect(reply: HttpReply): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const sink: ReplySink = {
    write: async (chunk) => {
      chunks.push(Buffer.from(chunk));
    },
  };
  await reply.stream?.(sink, never);
  return Buffer.concat(chunks);
}

describe('acceptsGzip', () => {
  for (const [header, accepted] of [
    ['gzip', true],
    ['deflate, gzip;q=1.0, *;q=0.5', true],
    ['GZIP', true],
    ['gzip;q=0', false],
    ['gzip; q=0.000', false],
    ['identity', false],
    ['', false],
    ['x-gzip', false],
  ] as const)
    it(`${header || 'nothing'}: ${accepted}`, () =>
      assert.equal(acceptsGzip({ headers: { 'accept-encoding': header } }), accepted));
});

describe('toGzipReply', () => {
  const long = 'metric 1\n'.repeat(1000);

  it('compresses a text and a stream', async () => {
    const whole = toGzipReply(GZIP, { status: 200, headers: { a: 'b' }, body: long });
    assert.deepEqual(whole.headers, { a: 'b', 'content-encoding': 'gzip' });
    assert.equal(gunzipSync(await collect(whole)).toString(), long);
    const stream = async (sink: ReplySink): Promise<void> => {
      for (let i = 0; i < 100; i++) await sink.write(Buffer.from(long));
    };
    const streamed = await collect(toGzipReply(GZIP, { status: 200, headers: {}, body: '', stream }));
    assert.equal(gunzipSync(streamed).toString(), long.repeat(100));
    assert.ok(streamed.length < (long.length * 100) / 20);
  });

  it('leaves short texts and what the client cannot read as they are', () => {
    const short = { status: 200, headers: {}, body: 'ok' };
    assert.equal(toGzipReply(GZIP, short), short);
    const reply = { status: 200, headers: {}, body: long };
    assert.equal(toGzipReply({ headers: {} }, reply), reply);
  });

  it('fails when the client has gone or the source fails, and leaves nothing waiting', async () => {
    const stream = async (sink: ReplySink): Promise<void> => {
      for (;;) await sink.write(Buffer.alloc(256 * 1024, Math.random().toString(36)));
    };
    const reply = toGzipReply(GZIP, { status: 200, headers: {}, body: '', stream });
    const gone: ReplySink = { write: () => Promise.reject(new Error('the client has gone')) };
    await assert.rejects(async () => reply.stream?.(gone, never), /the client has gone/);
    const broken = toGzipReply(GZIP, {
      status: 200,
      headers: {},
      body: '',
      stream: () => Promise.reject(new Error('no numbers')),
    });
    await assert.rejects(() => collect(broken), /no numbers/);
  });
});
