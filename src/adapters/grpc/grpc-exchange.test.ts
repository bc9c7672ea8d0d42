import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toPrefix } from '../../../test/fakes/fake-grpc-server.ts';
import type { H2Session } from '../h2/h2-session.ts';
import { GrpcExchange } from './grpc-exchange.ts';

describe('GrpcExchange', () => {
  it('small packets: a message is joined once, also when its first packet is shorter than the prefix', async () => {
    const session = { request: () => ({ cancel: () => {} }) } as unknown as H2Session;
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
      exchange.onData(bytes.subarray(0, 3));
      for (let at = 3; at < bytes.length; at += 100) exchange.onData(bytes.subarray(at, at + 100));
    } finally {
      Buffer.concat = original;
    }
    assert.deepEqual(sizes, [2 ** 20]);
    assert.ok(joined <= 2 * bytes.length, `${joined} bytes were joined for ${bytes.length}`);
    exchange.onHeaders(new Map([['grpc-status', '0']]));
    exchange.onClose(0, false);
    await exchange.done;
  });
});
