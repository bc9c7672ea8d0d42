import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HpackReader } from '../../h2/hpack-reader.ts';
import type { ApiHttpRequest } from './http-exchange.ts';
import { RequestHead } from './request-head.ts';

const read = (head: RequestHead, request: Partial<ApiHttpRequest>): string[][] => {
  const whole: ApiHttpRequest = { method: 'GET', path: '/', headers: {}, ...request };
  return [...new HpackReader(1e5).read(head.encode(whole)).headers];
};

describe('RequestHead', () => {
  it('begins with what HTTP/2 wants first, and names the server as its URL does', () => {
    for (const [origin, scheme, authority] of [
      ['https://api.example:6443', 'https', 'api.example:6443'],
      ['https://api.example', 'https', 'api.example'],
      ['http://[::1]:8080', 'http', '[::1]:8080'],
    ] as const)
      assert.deepEqual(read(new RequestHead(origin), { headers: { accept: 'x' }, path: '/a?b=c' }), [
        [':method', 'GET'],
        [':path', '/a?b=c'],
        [':scheme', scheme],
        [':authority', authority],
        ['accept', 'x'],
      ]);
  });

  it('has the value of this request, also for headers that it has seen before or does not keep', () => {
    const head = new RequestHead('https://api.example');
    for (let times = 0; times < 50; times++) {
      const headers = { authorization: `token ${times >> 1}`, [`x-${times}`]: String(times) };
      assert.deepEqual(read(head, { headers }).slice(4), Object.entries(headers));
    }
  });
});
