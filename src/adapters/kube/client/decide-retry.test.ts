import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decideRetry, type Failure } from './decide-retry.ts';

const answered = (code: number, retryAfterSeconds?: number): Failure => ({
  kind: 'answered',
  status: {
    code,
    reason: '',
    message: '',
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  },
});

describe('decideRetry', () => {
  const cases: readonly [
    name: string,
    failure: Failure,
    tries: number,
    harmless: boolean,
    waitMs: number | undefined,
  ][] = [
    ['a 429 waits as long as it asks, also for a write', answered(429, 3), 1, false, 3000],
    ['a 429 without a time waits a second', answered(429), 1, false, 1000],
    ['a 503 that names a time is tried again', answered(503, 2), 1, false, 2000],
    ['a 500 without a time is not', answered(500), 1, true, undefined],
    ['a conflict is the business of the caller', answered(409, 1), 1, true, undefined],
    ['an absurd time is cut', answered(429, 9999), 1, true, 60_000],
    ['the tenth refusal is the last', answered(429, 1), 10, true, undefined],
    [
      'a refused request is sent again, also a write',
      { kind: 'unanswered', delivery: 'refused' },
      1,
      false,
      0,
    ],
    ['a read that broke is sent again', { kind: 'unanswered', delivery: 'maybe' }, 2, true, 0],
    ['a read that broke three times is not', { kind: 'unanswered', delivery: 'maybe' }, 3, true, undefined],
    [
      'a write that may have happened is not repeated',
      { kind: 'unanswered', delivery: 'maybe' },
      1,
      false,
      undefined,
    ],
    [
      'a failed connection is reported at once',
      { kind: 'unanswered', delivery: 'unconnected' },
      1,
      true,
      undefined,
    ],
  ];
  for (const [name, failure, tries, harmless, waitMs] of cases)
    it(name, () => assert.equal(decideRetry(failure, tries, harmless, 0), waitMs));

  it('never comes back earlier than asked', () => {
    fc.assert(
      fc.property(
        fc.nat(60),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (seconds, random) => {
          const waitMs = decideRetry(answered(429, seconds), 1, true, random) ?? -1;
          assert.ok(waitMs >= seconds * 1000 && waitMs <= seconds * 1250);
        },
      ),
    );
  });
});
