import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AgentErrorCode } from '../../../base/errors.ts';
import { apiStatusOf } from '../../../ports/cluster/api-server.ts';
import { parseStatus, toApiError, toErrorCode } from './api-error.ts';

describe('toErrorCode', () => {
  const cases: readonly [code: number, reason: string, expected: AgentErrorCode][] = [
    [400, 'BadRequest', 'invalid-argument'],
    [401, 'Unauthorized', 'unauthenticated'],
    [403, 'Forbidden', 'permission-denied'],
    [404, 'NotFound', 'not-found'],
    [405, 'MethodNotAllowed', 'unimplemented'],
    [409, 'Conflict', 'conflict'],
    [409, 'AlreadyExists', 'already-exists'],
    [410, 'Gone', 'gone'],
    [410, 'Expired', 'gone'],
    [422, 'Invalid', 'invalid-argument'],
    [429, 'TooManyRequests', 'too-many-requests'],
    [500, 'InternalError', 'unavailable'],
    [503, 'ServiceUnavailable', 'unavailable'],
    [504, 'Timeout', 'deadline-exceeded'],
    [418, '', 'unknown'],
  ];
  for (const [code, reason, expected] of cases)
    it(`${code} ${reason} is ${expected}`, () => {
      assert.equal(toErrorCode({ code, reason, message: '' }), expected);
    });
});

describe('parseStatus', () => {
  const respond = (status: number, body: string, headers = {}) =>
    parseStatus({ status, headers: new Map(Object.entries(headers)), body: Buffer.from(body) });

  it('reads the Status object and the time to wait', () => {
    const body = {
      kind: 'Status',
      code: 429,
      reason: 'TooManyRequests',
      message: 'slow',
      details: { retryAfterSeconds: 2 },
    };
    const expected = { code: 429, reason: 'TooManyRequests', message: 'slow', retryAfterSeconds: 2 };
    assert.deepEqual(respond(429, JSON.stringify(body)), expected);
    assert.equal(respond(429, JSON.stringify(body), { 'retry-after': '9' }).retryAfterSeconds, 9);
  });

  it('makes do with what a proxy sends', () => {
    assert.deepEqual(respond(502, '<html>bad gateway', { 'retry-after': 'tomorrow' }), {
      code: 502,
      reason: '',
      message: 'the server answered 502 "<html>bad gateway"',
    });
    assert.equal(respond(503, '').message, 'the server answered 503');
  });

  it('is found again in the error', () => {
    const error = toApiError('get x', respond(404, '{"kind":"Status","reason":"NotFound","message":"no x"}'));
    assert.equal(error.message, 'cannot get x: no x');
    assert.deepEqual(apiStatusOf(error), { code: 404, reason: 'NotFound', message: 'no x' });
    assert.equal(apiStatusOf(new Error('other')), undefined);
  });
});
