import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  advanceBackOff,
  type BackOffEntry,
  type BackOffPolicy,
  backOffUntil,
  isForgotten,
} from './back-off.ts';

const CRASH_LOOP: BackOffPolicy = { initialMs: 10_000, maxMs: 300_000, factor: 2, forgetAfterMs: 600_000 };

const policies = fc
  .record({
    initialMs: fc.integer({ min: 1, max: 60_000 }),
    maxMs: fc.integer({ min: 1, max: 600_000 }),
    factor: fc.double({ min: 1, max: 4, noNaN: true }),
    forgetAfterMs: fc.integer({ min: 1, max: 1_200_000 }),
  })
  .map((policy): BackOffPolicy => policy);

describe('advanceBackOff', () => {
  it('doubles from 10 s to 5 min for a thing that ends at once each time', () => {
    let entry: BackOffEntry | undefined;
    const delays: number[] = [];
    let nowMs = 0;
    for (let i = 0; i < 8; i++) {
      entry = advanceBackOff(CRASH_LOOP, entry, nowMs, nowMs);
      delays.push(entry.delayMs);
      nowMs += entry.delayMs;
    }
    assert.deepEqual(
      delays,
      [10, 20, 40, 80, 160, 300, 300, 300].map((s) => s * 1000),
    );
  });

  it('never shrinks within a series and never passes the maximum', () => {
    fc.assert(
      fc.property(policies, fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (policy, gaps) => {
        let entry = advanceBackOff(policy, undefined, 0, 0);
        assert.equal(entry.delayMs, Math.min(policy.initialMs, policy.maxMs));
        for (const gap of gaps) {
          // Any event that is not late enough to be forgotten continues the series.
          const atMs = entry.updatedAtMs + Math.floor(gap * policy.forgetAfterMs);
          const next = advanceBackOff(policy, entry, atMs, atMs);
          assert.ok(next.delayMs >= entry.delayMs && next.delayMs <= policy.maxMs);
          assert.ok(next.delayMs === policy.maxMs || next.delayMs === entry.delayMs * policy.factor);
          assert.equal(next.updatedAtMs, atMs);
          entry = next;
        }
      }),
    );
  });

  it('resets once the series is forgotten', () => {
    fc.assert(
      fc.property(policies, fc.nat(600_000), fc.integer({ min: 1, max: 1e9 }), (policy, delayMs, lateMs) => {
        const entry: BackOffEntry = { delayMs, updatedAtMs: 5 };
        const eventMs = 5 + policy.forgetAfterMs + lateMs;
        assert.equal(isForgotten(policy, entry, eventMs), true);
        assert.equal(isForgotten(policy, entry, 5 + policy.forgetAfterMs), false);
        assert.equal(backOffUntil(policy, entry, eventMs, eventMs), undefined);
        assert.deepEqual(advanceBackOff(policy, entry, eventMs, eventMs + 7), {
          delayMs: Math.min(policy.initialMs, policy.maxMs),
          updatedAtMs: eventMs + 7,
        });
      }),
    );
  });
});

describe('backOffUntil', () => {
  it('does not delay the first failure', () => {
    assert.equal(backOffUntil(CRASH_LOOP, undefined, 100, 100), undefined);
  });

  it('delays exactly until the end of the thing plus the delay', () => {
    fc.assert(
      fc.property(policies, fc.nat(600_000), fc.nat(10_000), (policy, delayMs, eventMs) => {
        const entry: BackOffEntry = { delayMs, updatedAtMs: eventMs };
        const until = eventMs + delayMs;
        assert.equal(backOffUntil(policy, entry, eventMs, until), undefined);
        assert.equal(backOffUntil(policy, entry, eventMs, until - 1), until);
        assert.equal(backOffUntil(policy, entry, eventMs, eventMs), delayMs === 0 ? undefined : until);
      }),
    );
  });

  it('does not wait for an end in the future, because the clock was set back', () => {
    const entry = { delayMs: 10_000, updatedAtMs: 0 };
    const policy = { initialMs: 10_000, maxMs: 300_000, factor: 2, forgetAfterMs: 600_000 };
    assert.equal(backOffUntil(policy, entry, 104_000, 100_000), 114_000);
    assert.equal(backOffUntil(policy, entry, 106_000, 100_000), undefined);
  });
});
