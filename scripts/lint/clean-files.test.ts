import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toDigest, toUnclean } from './clean-files.ts';

describe('toUnclean', () => {
  const file = (path: string, text?: string) => ({
    path,
    text: text === undefined ? undefined : Buffer.from(text),
  });
  const clean = new Set([toDigest(['a.ts', 'one']), toDigest(['b.ts', 'two'])]);

  it('is what was not found in order with this path and this text', () => {
    assert.deepEqual(toUnclean([file('a.ts', 'one'), file('b.ts', 'two')], clean), []);
    const changed = [file('a.ts', 'two'), file('b.ts', 'two '), file('c.ts', 'one'), file('src/a.ts', 'one')];
    assert.deepEqual(
      toUnclean(changed, clean),
      changed.map(({ path }) => path),
    );
  });

  it('leaves out files that are gone', () => {
    assert.deepEqual(toUnclean([file('a.ts')], clean), []);
  });
});

describe('toDigest', () => {
  it('keeps its parts apart', () => {
    const digests = [['ab', 'c'], ['a', 'bc'], ['abc'], ['abc', undefined], ['abc', '']].map(toDigest);
    assert.equal(new Set(digests).size, digests.length);
  });
});
