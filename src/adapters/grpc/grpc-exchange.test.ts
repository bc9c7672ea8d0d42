import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ClientHttp2Session } from 'node:http2';
import { describe, it } from 'node:test';
import { toPrefix } from '../../../test/fakes/fake-grpc-server.ts';
import { GrpcExchange } from './grpc-exchange.ts';

/** A stream whose packets the test chooses; HTTP/2 would join small ones. */
class Packets extends EventEmitter {
  end(): void {}
  close(): void {}
}

describe('GrpcExchange', () => {
  it('small packets: a message is joined once, also when its first packet is shorter than the prefix', async () => {
    const stream = new Packets();
    const session = { request: () => stream } as unknown as ClientHttp2Session;
    const sizes: number[] = [];
    const onMessage = (message: Buffer): void => void sizes.push(message.length);
    const exchange = new GrpcExchange({ path: '/a.B/C', body: new Uint8Array(), onMessage }, 2 ** 24);
    exchange.start(session, () => {});
    const bytes = Buffer.concat([toPrefix(2 ** 20), Buffer.alloc(2 ** 20, 'x')]);
    const original = Buffer.concat;
    let joined = 0;
    Buffer.concat = (list, total) => {
      const all = original(list, total);
      joined += all.length;
      return all;
    };
    try {
      stream.emit('data', bytes.subarray(0, 3));
      for (let at = 3; at < bytes.length; at += 100) stream.emit('data', bytes.subarray(at, at + 100));
    } finally {
      Buffer.concat = original;
    }
    assert.deepEqual(sizes, [2 ** 20]);
    assert.ok(joined <= 2 * bytes.length, `${joined} bytes were joined for ${bytes.length}`);
    stream.emit('trailers', { 'grpc-status': '0' });
    stream.emit('close');
    await exchange.done;
  });
});
