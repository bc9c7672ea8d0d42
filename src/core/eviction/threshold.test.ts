import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withContainerFs } from './disk-layout.ts';
import { parseThresholdValue, type ThresholdSettings, toThresholdAmount, toThresholds } from './threshold.ts';

const SETTINGS: ThresholdSettings = {
  hard: { 'memory.available': '100Mi', 'nodefs.available': '10%', 'imagefs.available': '15%' },
  soft: { 'memory.available': '300Mi' },
  softGraceMs: { 'memory.available': 90_000 },
  minReclaim: { 'nodefs.available': '1Gi' },
  enforcesPods: true,
};

describe('toThresholdAmount', () => {
  for (const [text, capacity, amount] of [
    // The precision of a float32 fraction decides: 10% of 100Gi is not a tenth to the byte.
    ['10%', 100 * 1024 ** 3, 10_737_418_400],
    ['15%', 1_000_000, 150_000],
    ['5%', 1_001, 50],
    ['100Mi', 5, 104_857_600],
  ] as const)
    it(`of ${text} with a capacity of ${capacity} is ${amount}`, () => {
      assert.equal(toThresholdAmount(parseThresholdValue(text), capacity), amount);
    });

  it('of a threshold that is switched off is undefined', () => {
    for (const text of ['0%', '100%']) assert.equal(parseThresholdValue(text), undefined);
  });
});

describe('toThresholds', () => {
  const brief = (settings: ThresholdSettings) =>
    toThresholds(settings).map(({ signal, graceMs }) => `${signal} ${graceMs}`);

  it('lists hard thresholds, the one of all pods together, then soft ones with their grace', () => {
    assert.deepEqual(brief(SETTINGS), [
      'memory.available 0',
      'nodefs.available 0',
      'imagefs.available 0',
      'allocatableMemory.available 0',
      'memory.available 90000',
    ]);
    assert.deepEqual(brief({ ...SETTINGS, enforcesPods: false, soft: {} }), [
      'memory.available 0',
      'nodefs.available 0',
      'imagefs.available 0',
    ]);
  });

  it('gives every threshold of a signal its minimum reclaim', () => {
    const nodefs = toThresholds(SETTINGS).find(({ signal }) => signal === 'nodefs.available');
    assert.equal(toThresholdAmount(nodefs?.minReclaim, 0), 1024 ** 3);
  });
});

describe('withContainerFs', () => {
  for (const [layout, copied] of [
    ['single', '10%'],
    ['split', '10%'],
    ['dedicated', '15%'],
  ] as const)
    it(`takes the threshold of the shared file system when disks are ${layout}`, () => {
      const own = { ...SETTINGS, hard: { ...SETTINGS.hard, 'containerfs.available': '77%' } };
      const found = withContainerFs(toThresholds(own), layout).filter(
        ({ signal }) => signal === 'containerfs.available',
      );
      assert.deepEqual(
        found.map(({ value }) => value),
        [parseThresholdValue(copied)],
      );
    });
});
