import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Metric } from '../metrics.ts';
import { type Turn, toRows } from './compare.ts';

const READY: Metric = { id: 'ready', title: 'Ready', unit: 'ms', group: 'start', bar: 0.9 };
const GONE: Metric = { id: 'gone', title: 'gone', unit: 'ms', group: 'end', bar: undefined };

const turn = (subject: Turn['subject'], round: number, ...ready: number[]): Turn => ({
  subject,
  round,
  samples: { ready },
});

describe('toRows', () => {
  it('takes the median of each round, then of all rounds, and divides ours by upstream', () => {
    const turns = [
      turn('ours', 1, 100, 300, 200),
      turn('upstream', 1, 400),
      turn('upstream', 2, 500),
      turn('ours', 2, 150),
      turn('floor', 1, 50),
    ];
    const [row] = toRows([READY], turns);
    assert.deepEqual(row?.spreads, {
      ours: { min: 150, median: 175, max: 200 },
      upstream: { min: 400, median: 450, max: 500 },
      floor: { min: 50, median: 50, max: 50 },
    });
    assert.equal(row?.ratio, 175 / 450);
    assert.deepEqual(row?.ratios, { min: 0.3, median: 0.4, max: 0.5 });
    assert.equal(row?.verdict, 'within');
  });

  it('a ratio above the bar is above it, the bar itself is not', () => {
    const verdictOf = (ours: number) =>
      toRows([READY], [turn('ours', 1, ours), turn('upstream', 1, 100)])[0]?.verdict;
    assert.equal(verdictOf(90), 'within');
    assert.equal(verdictOf(91), 'above');
  });

  it('leaves out what has no number, and says nothing of what has no peer or no bar', () => {
    assert.deepEqual(toRows([GONE], [turn('ours', 1, 5)]), []);
    const [alone] = toRows([READY], [turn('ours', 1, 5)]);
    assert.deepEqual([alone?.ratio, alone?.ratios, alone?.verdict], [undefined, undefined, undefined]);
    const [none] = toRows([READY], [turn('ours', 1, 5), turn('upstream', 1, 0)]);
    assert.equal(none?.ratio, undefined, 'nothing is divided by nothing');
  });
});
