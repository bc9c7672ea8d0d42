import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { matchesLabels } from '../../../core/api/label-selector.ts';
import { parseSelector } from './parse-selector.ts';

describe('parseSelector', () => {
  const labels = { app: 'web', 'example.org/tier': 'front' };
  const rows: readonly (readonly [string, boolean])[] = [
    ['app=web', true],
    ['app==web,example.org/tier', true],
    ['app!=web', false],
    ['app=web,!example.org/tier', false],
    ['other!=x,!other', true],
    ['other', false],
  ];
  for (const [text, matches] of rows)
    it(`${matches ? 'finds' : 'leaves out'} a pod by "${text}"`, () => {
      const selector = parseSelector(text);
      assert.ok(selector !== undefined);
      assert.equal(matchesLabels(selector, labels), matches);
    });

  it('refuses what it cannot read', () => {
    for (const text of ['', 'a=b,', '!a=b', 'a=b=c', 'a in (b)'])
      assert.equal(parseSelector(text), undefined, text);
  });
});
