import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Row } from './compare.ts';
import { renderNumber, renderRatio, renderTable } from './render-table.ts';

const row: Row = {
  metric: { id: 'ready', title: '1 pod → Ready', unit: 'ms', group: 'start', bar: 0.9 },
  spreads: { ours: { min: 190, median: 200, max: 260.4 }, upstream: { min: 400, median: 400, max: 400 } },
  ratio: 0.5,
  ratios: { min: 0.45, median: 0.5, max: 0.65 },
  verdict: 'within',
};

describe('renderTable', () => {
  it('has a column for each fact, as wide as its longest cell', () => {
    const lines = renderTable([row]).split('\n');
    assert.match(
      lines[2] ?? '',
      /^\| 1 pod → Ready \| ms +\| 200 \(190–260\) \| 400 +\| 0\.50 +\| 0\.45–0\.65/,
    );
    assert.match(lines[2] ?? '', /\| 0\.90 +\| ok +\|/);
    assert.equal(new Set(lines.map((line) => line.length)).size, 1, 'all lines are equally long');
  });

  it('points out what is above its bar', () => {
    assert.match(renderTable([{ ...row, verdict: 'above' }]), /\*\*above\*\*/);
  });
});

describe('numbers in the table', () => {
  it('renderNumber: as many digits as mean something in the unit', () => {
    assert.equal(renderNumber(12.345, 's'), '12.3');
    assert.equal(renderNumber(1.234, 's'), '1.23');
    assert.equal(renderNumber(393.4, 'ms'), '393');
    assert.equal(renderNumber(107.4, 'millicores'), '107');
    assert.equal(renderNumber(6.97, 'millicores'), '7.0');
  });

  it('renderRatio: small ones keep a digit that counts', () => {
    assert.equal(renderRatio(0.5), '0.50');
    assert.equal(renderRatio(0.00083), '0.0008');
    assert.equal(renderRatio(undefined), '');
  });
});
