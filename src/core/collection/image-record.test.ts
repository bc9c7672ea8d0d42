import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canBePulled, detectImages, type ListedImage } from './image-record.ts';

const WEB: ListedImage = {
  id: 'sha256:web',
  repoTags: ['docker.io/library/web:1'],
  repoDigests: ['docker.io/library/web@sha256:d'],
  sizeBytes: 1,
  pinned: false,
};

describe('detectImages', () => {
  it('keeps the first sight and the last use, and drops what is gone', () => {
    const first = detectImages(new Map(), [WEB, { ...WEB, id: 'gone' }], ['sha256:web'], 10);
    const { inUse, lastUsedMs } = first.get('sha256:web') ?? {};
    assert.deepEqual([inUse, lastUsedMs], [true, 10]);
    const second = detectImages(first, [WEB], [], 20);
    assert.deepEqual([...second.values()], [{ ...WEB, firstDetectedMs: 10, lastUsedMs: 10, inUse: false }]);
  });

  for (const name of ['web:1', 'docker.io/web:1', 'docker.io/library/web@sha256:d', 'sha256:web'])
    it(`knows the image as ${name}`, () => {
      assert.equal(detectImages(new Map(), [WEB], [name], 1).get(WEB.id)?.inUse, true);
    });

  it('does not take another tag for the same image', () => {
    assert.equal(detectImages(new Map(), [WEB], ['web:2', ''], 1).get(WEB.id)?.inUse, false);
  });
});

describe('canBePulled', () => {
  const rows: [tags: string[], digests: string[], expected: boolean][] = [
    [['docker.io/library/a:1'], ['docker.io/library/a@sha256:1'], true],
    [['docker.io/library/a:1'], [], false],
    [[], [], false],
    [['localhost/a:1'], ['localhost/a@sha256:1'], false],
    [['127.0.0.1:5000/a:1'], ['127.0.0.1:5000/a@sha256:1'], false],
    [['localhost/a:1'], ['localhost/a@sha256:1', 'quay.io/a@sha256:1'], true],
  ];
  for (const [repoTags, repoDigests, expected] of rows)
    it(`${JSON.stringify([...repoTags, ...repoDigests])}: ${expected}`, () =>
      assert.equal(canBePulled({ repoTags, repoDigests }), expected));
});
