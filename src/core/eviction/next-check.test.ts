import assert from 'node:assert/strict';
import { it } from 'node:test';
import { computeLookMs, computeMemoryCheckMs } from './next-check.ts';
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

function lookAt(left: Partial<Record<'memory' | 'disk', number>>): number {
  const at = { capacity: 200 * GIB, atMs: 0 };
  const { memory = 100 * GIB, disk = 100 * GIB } = left;
  return computeLookMs(
    thresholds,
    new Map([
      ['memory.available', { ...at, available: memory }],
      ['allocatableMemory.available', { ...at, available: memory }],
      ['nodefs.available', { ...at, available: disk }],
    ]),
  );
}

it('computeLookMs looks before the nearest threshold can be reached, every 10 to 30 s', () => {
  assert.equal(lookAt({}), 30_000);
  assert.equal(lookAt({ disk: 21 * GIB }), 20_000);
  assert.equal(lookAt({ memory: 16 * GIB }), 15_000);
  assert.equal(lookAt({ disk: 2 * GIB }), 10_000);
  assert.equal(lookAt({ disk: 0 }), 10_000);
  assert.equal(computeLookMs([], new Map()), 30_000);
});

it('computeLookMs does not wait while something could not be measured', () => {
  const memory = { capacity: 200 * GIB, available: 100 * GIB, atMs: 0 };
  assert.equal(computeLookMs(thresholds, new Map([['memory.available', memory]])), 10_000);
});

it('computeLookMs knows how fast inodes and processes go', () => {
  const hard = { 'nodefs.inodesFree': '1000', 'pid.available': '1000' };
  const counts = toThresholds({ hard, soft: {}, softGraceMs: {}, minReclaim: {}, enforcesPods: false });
  const look = (inodes: number, pids: number): number =>
    computeLookMs(
      counts,
      new Map([
        ['nodefs.inodesFree', { capacity: 1e9, available: inodes, atMs: 0 }],
        ['pid.available', { capacity: 1e6, available: pids, atMs: 0 }],
      ]),
    );
  assert.equal(look(2_501_000, 100_000), 25_000);
  assert.equal(look(1e8, 13_000), 12_000);
});
