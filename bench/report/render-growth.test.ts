import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Growth, renderGrowth, renderGrowthTable } from './render-growth.ts';

const GROWTH: Growth[] = [100, 200].map((pods) => ({
  pods,
  startMs: pods / 10,
  endMs: 5,
  restMillicores: 1.5,
  emptyMiB: 70,
  fullMiB: 70 + pods / 10,
  leftMiB: 71,
}));

describe('renderGrowth', () => {
  it('has a row for each number of pods', () => {
    const [, , first, second, ...others] = renderGrowthTable(GROWTH).split('\n');
    assert.equal(first, '| 100 | 10.0 | 5.0 | 1.5 | 70 · 80 · 71 | 102 |');
    assert.match(second ?? '', /^\| 200 \| 20\.0 /);
    assert.deepEqual(others, []);
  });

  it('draws a cost that grows as a line that rises, and one that does not as a level one', () => {
    const lines = [...renderGrowth(GROWTH).matchAll(/points="[\d.]+,([\d.]+) [\d.]+,([\d.]+)"/g)];
    const [start, end, memory, rest, ...others] = lines.map(([, from, to]) => Number(to) - Number(from));
    assert.ok(start !== undefined && start < 0, 'the axis of a picture points down');
    assert.deepEqual([end, memory, rest, others], [0, 0, 0, []]);
  });
});
