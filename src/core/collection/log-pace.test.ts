import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { computeLogPace, isLogFull, type LogPace, restartLogPace, toNextLookMs } from './log-pace.ts';

const LIMITS = { maxBytes: 10 * 1024 * 1024, monitorIntervalMs: 10_000 };

/** A writer of `bytesPerMs` from the start; the sizes at which the log was found full, and the number of looks. */
function follow(bytesPerMs: (atMs: number) => number, forMs: number): { full: number[]; looks: number } {
  let pace: LogPace | undefined;
  let size = 0;
  let looks = 0;
  const full: number[] = [];
  let nextMs = 1;
  for (let nowMs = 1; nowMs <= forMs; nowMs++) {
    size += bytesPerMs(nowMs);
    if (nowMs < nextMs) continue;
    looks++;
    pace = computeLogPace(pace, size, nowMs, LIMITS);
    if (size >= LIMITS.maxBytes) {
      full.push(size);
      size = 0;
      pace = restartLogPace(pace, nowMs, LIMITS);
    }
    nextMs = Math.ceil(toNextLookMs(pace, LIMITS));
  }
  return { full, looks };
}

describe('computeLogPace', () => {
  for (const megabytes of [0.1, 1, 10, 50])
    it(`finds a log of ${megabytes} MB/s full within 110 % of its size`, () => {
      const { full } = follow(() => megabytes * 1000, 600_000);
      assert.ok(full.length > (megabytes * 600e6) / (LIMITS.maxBytes * 1e3) / 2, `${full.length} rotations`);
      assert.ok(Math.max(...full) <= 1.1 * LIMITS.maxBytes, `${Math.max(...full) / LIMITS.maxBytes}`);
    });

  it('looks at a silent log a few times, then once per interval', () => {
    const { looks } = follow(() => 0, 600_000);
    assert.ok(looks <= 60 + 9, `${looks} looks`);
  });

  it('looks at a steady log seldom, unless it could be full suddenly', () => {
    const quick = follow(() => 10_000, 600_000);
    assert.ok(quick.looks < 8 * quick.full.length, `${quick.looks} looks for ${quick.full.length} rotations`);
    const slow = follow(() => 9, 600_000);
    assert.ok(slow.looks <= 60 + 9, `${slow.looks} looks`);
  });

  it('looks at a chatty log once a second', () => {
    const { looks } = follow(() => 100, 600_000);
    assert.ok(looks <= 600 + 30, `${looks} looks`);
  });

  it('makes two files at most too large when a chatty log suddenly grows at 50 MB/s, from any size', () => {
    for (let startMs = 1_000; startMs < 200_000; startMs += 1_777) {
      const { full } = follow((atMs) => (atMs < startMs ? 50 : 50_000), startMs + 3_000);
      const sudden = full.filter((size) => size > 1.1 * LIMITS.maxBytes);
      assert.ok(sudden.length <= 2, full.join(' '));
      assert.ok(Math.max(...full) <= LIMITS.maxBytes + 1_001 * 50_000, full.join(' '));
    }
  });

  it('does not spin at a log that stopped just before its limit', () => {
    const { looks } = follow((atMs) => (atMs <= 209 ? 50_000 : 0), 60_000);
    assert.ok(looks < 35, `${looks} looks`);
  });

  it('counts a file that became smaller from its start', () => {
    const first = computeLogPace(undefined, 9_000_000, 0, LIMITS);
    assert.equal(computeLogPace(first, 1_000, 100, LIMITS).rate, 10);
  });
});

describe('isLogFull', () => {
  const pace = { sizeBytes: 10_000_000, lookedAtMs: 0, knownSinceMs: 0, waitMs: 0, rate: 0 };
  const rows: [rate: number, leadMs: number, sizeBytes: number, expected: boolean][] = [
    [0, 50, LIMITS.maxBytes, true],
    [0, 50, LIMITS.maxBytes - 1, false],
    // 50 MB/s and 15 ms until the new file is there: the last 750 kB.
    [50_000, 15, LIMITS.maxBytes - 750_000, true],
    [50_000, 15, LIMITS.maxBytes - 750_001, false],
    // 50 MB/s and 60 ms, on a busy machine.
    [50_000, 60, LIMITS.maxBytes - 3_000_000, true],
    // Never more than half of it early, however slow the runtime.
    [50_000, 10_000, 0.5 * LIMITS.maxBytes - 1, false],
  ];
  for (const [rate, leadMs, sizeBytes, expected] of rows)
    it(`${sizeBytes} bytes, ${rate} bytes per ms, ${leadMs} ms for a rotation: ${expected}`, () =>
      assert.equal(isLogFull({ ...pace, rate, sizeBytes }, { ...LIMITS, leadMs }), expected));
});

describe('toNextLookMs', () => {
  it('brings slow logs together', () => {
    const pace = { sizeBytes: 0, rate: 0, waitMs: 10_000, knownSinceMs: 0 };
    assert.equal(toNextLookMs({ ...pace, lookedAtMs: 12_345 }, LIMITS), 20_000);
    assert.equal(toNextLookMs({ ...pace, lookedAtMs: 20_000 }, LIMITS), 30_000);
    assert.equal(toNextLookMs({ ...pace, lookedAtMs: 12_345, waitMs: 50 }, LIMITS), 12_395);
  });
});
