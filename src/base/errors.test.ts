import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AgentError, type AgentErrorCode, causeText, errorText, hasCode } from './errors.ts';

describe('AgentError', () => {
  const retryable: Record<AgentErrorCode, boolean> = {
    unavailable: true,
    'deadline-exceeded': true,
    'resource-exhausted': true,
    conflict: true,
    'too-many-requests': true,
    unknown: true,
    'not-found': false,
    'already-exists': false,
    'invalid-argument': false,
    'failed-precondition': false,
    'permission-denied': false,
    unimplemented: false,
    cancelled: false,
    unauthenticated: false,
    gone: false,
  };
  for (const [code, expected] of Object.entries(retryable))
    it(`${code} is ${expected ? '' : 'not '}worth a retry`, () => {
      assert.equal(new AgentError(code as AgentErrorCode, 'x').retryable, expected);
    });

  it('keeps its cause, and the caller may override whether it is retryable', () => {
    const cause = new Error('connection refused');
    const error = new AgentError('not-found', 'cannot find "x": gone', { cause, retryable: true });
    assert.equal(error.cause, cause);
    assert.equal(error.retryable, true);
    assert.equal(error.name, 'AgentError');
    assert.equal('cause' in new AgentError('unknown', 'x'), false);
  });
});

describe('hasCode', () => {
  it('is true only for an AgentError of that class', () => {
    assert.equal(hasCode(new AgentError('not-found', 'x'), 'not-found'), true);
    assert.equal(hasCode(new AgentError('unknown', 'x'), 'not-found'), false);
    assert.equal(hasCode({ code: 'not-found' }, 'not-found'), false);
    assert.equal(hasCode(undefined, 'not-found'), false);
  });
});

describe('errorText', () => {
  const cases: readonly (readonly [what: string, thrown: unknown, text: string])[] = [
    ['an error', new Error('boom'), 'boom'],
    ['text', 'boom', 'boom'],
    ['nothing', undefined, 'undefined'],
    ['an error without message', new TypeError(), 'TypeError'],
    ['several errors without message', new AggregateError([new Error('a'), 'b']), 'a; b'],
    ['several errors with message', new AggregateError([new Error('a')], 'all failed'), 'all failed'],
    ['empty text', '', 'unknown error'],
    ['an object without text', Object.create(null), 'unknown error'],
  ];
  for (const [what, thrown, text] of cases)
    it(`prints ${what} as "${text}"`, () => assert.equal(errorText(thrown), text));
});

it('causeText gives the message of the remote side, or the error itself', () => {
  const error = new AgentError('unknown', 'rpc error: code = Unknown desc = no such image', {
    cause: new Error('no such image'),
  });
  assert.equal(causeText(error), 'no such image');
  assert.equal(causeText(new AgentError('unknown', 'plain')), 'plain');
  assert.equal(causeText(new Error('not ours')), 'not ours');
});
