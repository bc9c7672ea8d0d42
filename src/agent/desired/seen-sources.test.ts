import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SeenSources } from './seen-sources.ts';

function setUp() {
  const seen = new SeenSources(['file', 'api']);
  const news = { count: 0 };
  seen.onAllSeen(() => news.count++);
  return { seen, news };
}

describe('SeenSources', () => {
  it('waits for every source, and says so once', () => {
    const { seen, news } = setUp();
    seen.note('api', true);
    assert.deepEqual([seen.all, news.count], [false, 0]);
    seen.note('file', true);
    seen.note('file', true);
    assert.deepEqual([seen.all, news.count, seen.mayHide(undefined)], [true, 1, false]);
  });

  it('files that cannot be read hold back what may be theirs, and nothing else', () => {
    const { seen, news } = setUp();
    seen.note('file', false);
    seen.note('api', true);
    assert.deepEqual([seen.all, news.count], [true, 1]);
    assert.deepEqual(
      ['file', 'api', 'http', undefined].map((source) => seen.mayHide(source)),
      [true, false, false, true],
    );
    seen.note('file', true);
    assert.deepEqual([seen.mayHide('file'), seen.mayHide(undefined), news.count], [false, false, 2]);
    seen.note('file', false);
    assert.equal(seen.mayHide('file'), false, 'what was read once hides nothing');
  });

  it('an API server that is away holds back everything', () => {
    const { seen, news } = setUp();
    seen.note('file', true);
    seen.note('api', false);
    assert.deepEqual([seen.all, news.count], [false, 0]);
  });
});
