import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderConnectionError } from './connection-errors.ts';

const failure = (code: string, more: object = {}): Error =>
  Object.assign(new Error(`${code} !`), { code, ...more });

describe('renderConnectionError', () => {
  it('uses the words people search for', () => {
    const cases: readonly (readonly [Error, string])[] = [
      [failure('ECONNREFUSED'), 'dial tcp a:1: connect: connection refused'],
      [failure('EHOSTUNREACH'), 'dial tcp a:1: connect: no route to host'],
      [failure('ENETUNREACH'), 'dial tcp a:1: connect: network is unreachable'],
      [failure('ENOTFOUND', { hostname: 'db' }), 'dial tcp: lookup db: no such host'],
      [failure('ECONNRESET'), 'read tcp a:1: read: connection reset by peer'],
      [Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }), 'EOF'],
      [failure('EWHATEVER'), 'EWHATEVER !'],
      [new AggregateError([failure('ECONNREFUSED')]), 'dial tcp a:1: connect: connection refused'],
    ];
    for (const [error, text] of cases) assert.equal(renderConnectionError(error, 'a:1'), text);
  });
});
