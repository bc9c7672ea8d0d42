import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countId, listMetrics } from '../metrics.ts';
import { type RunRecord, renderFiles } from './render-page.ts';

const samples = (ms: number) => ({
  'one.ready': [ms],
  [countId(30, 'ready-all')]: [ms / 100],
  'probes.changes': [0],
});
const record: RunRecord = {
  startedAt: '2026-01-02T03:04:05.000Z',
  counts: [30],
  machine: { cores: 2, memoryGiB: 24, kernel: '6.1', runtime: 'containerd 2.1', loads: [0.5, 1] },
  turns: [
    { subject: 'ours', round: 1, samples: samples(200) },
    { subject: 'upstream', round: 1, samples: samples(250) },
  ],
  churn: {
    ours: [
      [0, 80],
      [60, 81],
    ],
  },
};

describe('renderFiles', () => {
  const files = renderFiles(record, listMetrics([30]));

  it('has a page that links every picture, and the record itself', () => {
    const page = files['README.md'] ?? '';
    const linked = [...page.matchAll(/\]\(([\w-]+\.svg)\)/g)].map((match) => match[1]);
    assert.deepEqual(linked.toSorted(), ['churn.svg', 'start.svg']);
    for (const name of linked) assert.match(files[name ?? ''] ?? '', /^<svg /);
    assert.deepEqual(JSON.parse(files['run.json'] ?? ''), record);
  });

  it('counts what is at or below its bar', () => {
    // 0.80 of at most 0.90, and 0.80 of at most 0.75.
    assert.match(files['README.md'] ?? '', /1 of 2 ratios/);
    assert.match(files['README.md'] ?? '', /1 round in turns; 2 cores, 24 GiB, Linux 6\.1/);
  });
});

describe('listMetrics', () => {
  it('gives every number of pods its rows and bars, each under an id of its own', () => {
    const metrics = listMetrics([30, 100]);
    assert.equal(new Set(metrics.map(({ id }) => id)).size, metrics.length);
    assert.equal(metrics.find(({ id }) => id === countId(100, 'start-cpu'))?.bar, 0.6);
    assert.equal(metrics.find(({ id }) => id === countId(0, 'memory'))?.title, 'resident memory with 0 pods');
  });
});
