import assert from 'node:assert/strict';
import { it } from 'node:test';
import { computeMemoryCheckMs } from './next-check.ts';
import { toThresholds } from './threshold.ts';

const GIB = 1024 ** 3;
const hard = { 'memory.available': '1Gi', 'nodefs.available': '1Gi' };
const thresholds = toThresholds({ hard, soft: {}, softGraceMs: {}, minReclaim: {}, enforcesPods: true });

function check(available: number, ofPods = 100 * GIB): number {
  const at = { capacity: 200 * GIB, atMs: 0 };
  return computeMemoryCheckMs(
    thresholds,
    new Map([
      ['memory.available', { ...at, available }],
      ['allocatableMemory.available', { ...at, available: ofPods }],
      ['nodefs.available', { ...at, available: 0 }],
    ]),
  );
}

it('computeMemoryCheckMs looks again before the nearest threshold can be reached', () => {
  assert.equal(check(31 * GIB), 30_000);
  assert.equal(check(3 * GIB), 2_000);
  assert.equal(check(50 * GIB, 2 * GIB), 1_000);
  assert.equal(check(1.001 * GIB), 250);
  assert.equal(check(0), 250);
});

it('computeMemoryCheckMs never asks for a look without thresholds of memory', () => {
  assert.equal(computeMemoryCheckMs([], new Map()), Infinity);
});
