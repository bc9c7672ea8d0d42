import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type ImageCollectionPolicy,
  isPeriodic,
  listCandidates,
  listOldEnough,
  listOverAge,
  planSpace,
  renderInsufficient,
  renderSize,
  takeUntilFreed,
} from './image-collection.ts';
import type { ImageRecord } from './image-record.ts';

const POLICY: ImageCollectionPolicy = {
  highPercent: 85,
  lowPercent: 80,
  minAgeMs: 120_000,
  maxAgeMs: 0,
  collectsUnpullable: false,
};
const GIB = 1024 ** 3;

function image(id: string, extra: Partial<ImageRecord> = {}): ImageRecord {
  const repoDigests = [`registry.example/${id}@sha256:1`];
  const base = { id, repoTags: [], repoDigests, sizeBytes: 10, pinned: false, firstDetectedMs: 0 };
  return { ...base, lastUsedMs: undefined, inUse: false, ...extra };
}

const recordsOf = (...images: ImageRecord[]): Map<string, ImageRecord> =>
  new Map(images.map((one) => [one.id, one]));
const ids = (images: readonly ImageRecord[]): string[] => images.map(({ id }) => id);

describe('isPeriodic', () => {
  it('is off only when both reasons are', () => {
    assert.equal(isPeriodic(POLICY), true);
    assert.equal(isPeriodic({ ...POLICY, highPercent: 100 }), false);
    assert.equal(isPeriodic({ ...POLICY, highPercent: 100, maxAgeMs: 1 }), true);
  });
});

describe('listCandidates', () => {
  it('is neither used nor pinned ones, never used first, then by last use, then by first sight', () => {
    const records = recordsOf(
      image('used', { inUse: true }),
      image('pinned', { pinned: true }),
      image('late', { lastUsedMs: 9 }),
      image('early', { lastUsedMs: 5, firstDetectedMs: 2 }),
      image('early-first', { lastUsedMs: 5, firstDetectedMs: 1 }),
      image('never', { firstDetectedMs: 8 }),
    );
    assert.deepEqual(ids(listCandidates(records, POLICY)), ['never', 'early-first', 'early', 'late']);
  });

  it('lists images that may not be pulled again last, and only if configured', () => {
    const records = recordsOf(
      image('imported', { repoDigests: [], repoTags: ['docker.io/library/a:1'] }),
      image('local', { repoDigests: ['localhost:5000/a@sha256:1'] }),
      image('pulled', { lastUsedMs: 9 }),
    );
    assert.deepEqual(ids(listCandidates(records, POLICY)), ['pulled']);
    const all = listCandidates(records, { ...POLICY, collectsUnpullable: true });
    assert.deepEqual(ids(all), ['pulled', 'imported', 'local']);
  });
});

describe('listOverAge', () => {
  const policy = { ...POLICY, maxAgeMs: 100 };
  const records = recordsOf(
    image('never'),
    image('old', { lastUsedMs: 899 }),
    image('new', { lastUsedMs: 900 }),
  );

  it('is what was not used for longer, or never', () => {
    assert.deepEqual(ids(listOverAge(records, policy, 0, 1000)), ['never', 'old']);
  });

  it('waits until the agent has watched for as long', () => {
    assert.deepEqual(listOverAge(records, policy, 900, 1000), []);
    assert.deepEqual(listOverAge(records, POLICY, 0, 1000), []);
  });
});

describe('listOldEnough', () => {
  it('leaves young ones alone', () => {
    const records = recordsOf(image('young', { firstDetectedMs: 1 }), image('old', { firstDetectedMs: 0 }));
    assert.deepEqual(ids(listOldEnough(records, POLICY, 120_000)), ['old']);
  });
});

describe('planSpace', () => {
  const rows: [available: number, expected: ReturnType<typeof planSpace>][] = [
    [16, { kind: 'enough', usedPercent: 84 }],
    // A rest of a percent counts as used.
    [15.9, { kind: 'free', usedPercent: 85, bytesToFree: 4.1 }],
    [15, { kind: 'free', usedPercent: 85, bytesToFree: 5 }],
    [0, { kind: 'free', usedPercent: 100, bytesToFree: 20 }],
    [200, { kind: 'enough', usedPercent: 0 }],
  ];
  for (const [available, expected] of rows)
    it(`${available} % available`, () => {
      const plan = planSpace({ capacityBytes: 100 * GIB, availableBytes: available * GIB }, POLICY);
      assert.equal(plan.kind, expected.kind);
      if (plan.kind === 'invalid-capacity' || expected.kind === 'invalid-capacity') return;
      assert.equal(plan.usedPercent, expected.usedPercent);
      if (plan.kind === 'free' && expected.kind === 'free')
        assert.ok(Math.abs(plan.bytesToFree - expected.bytesToFree * GIB) <= 1);
    });

  it('refuses a file system without capacity', () => {
    assert.deepEqual(planSpace({ capacityBytes: 0, availableBytes: 0 }, POLICY), {
      kind: 'invalid-capacity',
    });
  });
});

describe('takeUntilFreed', () => {
  it('takes no image more than needed', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000)), fc.nat(5000), (sizes, wanted) => {
        const images = sizes.map((sizeBytes, index) => image(`i${index}`, { sizeBytes }));
        const sum = (taken: readonly ImageRecord[]): number =>
          taken.reduce((all, one) => all + one.sizeBytes, 0);
        const taken = takeUntilFreed(images, wanted);
        assert.ok(sum(taken) >= wanted || taken.length === images.length);
        if (taken.length > 0) assert.ok(sum(taken.slice(0, -1)) < wanted);
      }),
    );
  });
});

describe('renderInsufficient', () => {
  it('has the words people know', () => {
    assert.equal(
      renderInsufficient(91, 12.34 * GIB, 123),
      "Insufficient free disk space on the node's image filesystem (91% of 12.3 GiB used). Failed to free sufficient space by deleting unused images (freed 123 bytes). Investigate disk usage, as it could be used by active images, logs, volumes, or other data.",
    );
  });

  it('names sizes with one decimal', () => {
    assert.deepEqual([0, 1023, 1024, 1024 ** 4].map(renderSize), ['0.0 B', '1023.0 B', '1.0 KiB', '1.0 TiB']);
  });
});
