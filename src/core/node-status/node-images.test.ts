import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { computeNodeImages } from './node-images.ts';
import type { ImageFacts } from './node-status-facts.ts';

const image = (id: string, sizeBytes: number, extra: Partial<ImageFacts> = {}): ImageFacts => ({
  id,
  sizeBytes,
  repoTags: [`${id}:1`],
  repoDigests: [],
  ...extra,
});

describe('computeNodeImages', () => {
  it('largest first, equal ones by id backwards', () => {
    const images = [image('a', 1), image('b', 5), image('c', 1), image('d', 3)];
    assert.deepEqual(
      computeNodeImages(images, 50).map(({ names }) => names?.[0]),
      ['b:1', 'd:1', 'c:1', 'a:1'],
    );
  });

  it('digests before tags, five names at most', () => {
    const [found] = computeNodeImages(
      [image('a', 1, { repoDigests: ['d1', 'd2'], repoTags: ['t1', 't2', 't3', 't4'] })],
      50,
    );
    assert.deepEqual(found, { names: ['d1', 'd2', 't1', 't2', 't3'], sizeBytes: 1 });
  });

  for (const [max, count] of [
    [2, 2],
    [0, 0],
    [-1, 3],
    [50, 3],
  ] as const)
    it(`at most ${max} means ${count} of three`, () => {
      assert.equal(computeNodeImages([image('a', 1), image('b', 1), image('c', 1)], max).length, count);
    });
});
