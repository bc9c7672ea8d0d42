import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CgroupMoment, DescriptorMemory } from './descriptor-memory.ts';

/** Reads at the given moments; returns how often it was counted. */
function countReads(...moments: readonly Partial<CgroupMoment>[]): number {
  const memory = new DescriptorMemory();
  let counted = 0;
  for (const moment of moments) {
    const now = { atMs: 1_000, processes: '12\n', usageNs: 5, ...moment };
    memory.forgetOld(now.atMs);
    const found = memory.read('/pod', now, () => ({ descriptors: ++counted, sockets: 0 }));
    assert.equal(found.descriptors, counted);
  }
  return counted;
}

for (const [what, moments, expected] of [
  ['not again while no process has run', [{}, { atMs: 20_000 }, { atMs: 70_000 }], 1],
  ['not again within fifteen seconds although one has run', [{}, { atMs: 15_999, usageNs: 6 }], 1],
  ['again after fifteen seconds where one has run', [{}, { atMs: 16_000, usageNs: 6 }], 2],
  ['not again within fifteen seconds for other processes', [{}, { processes: '13\n' }], 1],
  ['again after fifteen seconds for other processes', [{}, { atMs: 16_000, processes: '13\n' }], 2],
  [
    'again after a while where CPU time is not known',
    [{ usageNs: undefined }, { atMs: 16_000, usageNs: undefined }],
    2,
  ],
  ['again when the clock was set back', [{}, { atMs: 999, usageNs: 6 }], 2],
  ['again for a cgroup that was not asked for in a minute', [{}, { atMs: 61_001 }], 2],
] as const)
  test(`DescriptorMemory counts ${what}`, () => assert.equal(countReads(...moments), expected));
