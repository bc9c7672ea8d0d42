import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { computeLeadMs, type PastRotation } from './rotation-lead.ts';

describe('computeLeadMs', () => {
  const past: PastRotation = {
    plannedMs: 1_000,
    lookedAtMs: 1_000,
    endedMs: 1_010,
    grownBytes: 0,
    rate: 50_000,
  };
  const rows: [what: string, leadMs: number, more: Partial<PastRotation>, expected: number][] = [
    ['a quick rotation is believed by and by', 50, {}, 40],
    ['what was written meanwhile counts at the rate expected', 10, { grownBytes: 500_000 }, 10],
    ['so does a writer that became quicker', 10, { grownBytes: 900_000 }, 18],
    ['a look that came late counts', 10, { lookedAtMs: 1_080, endedMs: 1_090, grownBytes: 500_000 }, 90],
    ['a line of a slow writer does not', 10, { grownBytes: 1_000, rate: 0.001 }, 20],
    ['a log that was full when it was first seen teaches nothing', 10, { rate: 0, grownBytes: 9_999 }, 8],
    [
      'a machine that stood still is not believed for long',
      10,
      { lookedAtMs: 99_000, endedMs: 99_000 },
      1_000,
    ],
  ];
  for (const [what, leadMs, more, expected] of rows)
    it(what, () => assert.equal(computeLeadMs(leadMs, { ...past, ...more }), expected));
});
