import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isReportDue, toReportMemory } from './node-report.ts';

const PERIOD_MS = 300_000;

describe('isReportDue', () => {
  const table = [
    ['the first report', undefined, false, 0, true],
    ['a change', { reportedAtMs: 0, delayMs: 0 }, true, 1, true],
    ['nothing new before the period', { reportedAtMs: 0, delayMs: 0 }, false, PERIOD_MS - 1, false],
    ['nothing new after the period', { reportedAtMs: 0, delayMs: 0 }, false, PERIOD_MS, true],
    ['a delay not over yet', { reportedAtMs: 0, delayMs: 1000 }, false, PERIOD_MS + 999, false],
    ['a delay forwards', { reportedAtMs: 0, delayMs: -1000 }, false, PERIOD_MS - 1000, true],
  ] as const;
  for (const [what, memory, changed, nowMs, expected] of table)
    it(`${what}: ${expected}`, () => {
      assert.equal(isReportDue(memory, changed, PERIOD_MS, nowMs), expected);
    });
});

describe('toReportMemory', () => {
  const memory = { reportedAtMs: 1, delayMs: 70 };
  const table = [
    ['the first report spreads', undefined, false, 0, -150_000],
    ['a change spreads', memory, true, 0.75, 75_000],
    ['a regular report goes back to the period', memory, false, 0.75, 0],
  ] as const;
  for (const [what, before, changed, random, delayMs] of table)
    it(what, () => {
      assert.deepEqual(toReportMemory(before, changed, PERIOD_MS, 9, random), { reportedAtMs: 9, delayMs });
    });
});
