import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ImageRecord } from '../../core/collection/image-record.ts';
import type { ImageReport } from '../../ports/runtime/image-report.ts';
import { chooseImages, renderPlan, toImageCells } from './cli-images.ts';

const NOW_MS = 1_000_000;

function image(id: string, extra: Partial<ImageRecord> = {}): ImageRecord {
  const base = {
    id: `sha256:${id}`,
    repoTags: [`r.io/${id}:1`],
    repoDigests: [],
    pinned: false,
    inUse: false,
  };
  return { ...base, sizeBytes: 1024 ** 2, firstDetectedMs: 0, lastUsedMs: undefined, ...extra };
}

const REPORT: ImageReport = {
  images: [
    image('used', { inUse: true, lastUsedMs: NOW_MS }),
    image('big', { sizeBytes: 2 * 1024 ** 2, lastUsedMs: NOW_MS - 300_000 }),
    image('pinned', { pinned: true }),
  ],
  fileSystem: undefined,
  space: { kind: 'free', usedPercent: 90, bytesToFree: 1 },
  wouldRemove: ['sha256:big'],
};

describe('images', () => {
  it('are the largest first; --unused and --plan choose among them', () => {
    const ids = (options: { unused: boolean; plan: boolean }): string[] =>
      chooseImages(REPORT, options).map(({ id }) => id.slice(7));
    assert.deepEqual(ids({ unused: false, plan: false }), ['big', 'pinned', 'used']);
    assert.deepEqual(ids({ unused: true, plan: false }), ['big', 'pinned']);
    assert.deepEqual(ids({ unused: false, plan: true }), ['big']);
  });

  it('show their use and their fate', () => {
    const cells = REPORT.images.map((one) => toImageCells(one, REPORT, NOW_MS).slice(2));
    assert.deepEqual(cells, [
      ['1.0 MiB', 'now', 'in use'],
      ['2.0 MiB', '5m ago', 'would be deleted'],
      ['1.0 MiB', 'never', 'pinned'],
    ]);
  });

  it('end with a sentence', () => {
    const text = 'The disk of images is 90 % full; a collection would delete 1 (2.0 MiB).\n';
    assert.equal(renderPlan(REPORT), text);
    const none = { ...REPORT, wouldRemove: [], space: undefined };
    assert.equal(
      renderPlan(none),
      'The disk of images cannot be measured; a collection would delete nothing.\n',
    );
  });
});
