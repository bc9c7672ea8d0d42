import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { computeLogWrites, type LogWrites, needsLook } from './log-writes.ts';

const LIMITS = { maxBytes: 10 * 1024 * 1024, monitorIntervalMs: 10_000 };

/** After which of these writes a look is called for; -1 when after none. */
function firstCall(times: readonly number[], sizeBytes: number): number {
  const pace = { sizeBytes, lookedAtMs: 0, knownSinceMs: 0, rate: 0, waitMs: 10_000 };
  let writes: LogWrites | undefined;
  return times.findIndex((atMs) => {
    writes = computeLogWrites(writes, atMs);
    return needsLook(writes, pace, LIMITS);
  });
}

const every = (stepMs: number, count: number): number[] =>
  Array.from({ length: count }, (_, n) => n * stepMs);

describe('needsLook', () => {
  it('is never true of a line a second, however full the log is', () =>
    assert.equal(firstCall(every(1_000, 100), LIMITS.maxBytes - 1), -1));

  it('is not true of some lines at once', () => {
    const bursts = every(1_000, 20).flatMap((atMs) => every(1, 5).map((more) => atMs + more));
    assert.equal(firstCall(bursts, LIMITS.maxBytes - 1), -1);
  });

  it('is true of writes that go on, the sooner the fuller the log is', () => {
    const writes = every(1, 1_000);
    assert.equal(firstCall(writes, 0), 100);
    // Half full: 50 MB/s need 107 ms for the rest.
    assert.equal(firstCall(writes, LIMITS.maxBytes / 2), 54);
    assert.equal(firstCall(writes, LIMITS.maxBytes - 1), 9);
  });

  it('is true also for an agent that is woken every 40 ms only', () =>
    assert.equal(firstCall(every(40, 10), LIMITS.maxBytes / 2), 2));
});
