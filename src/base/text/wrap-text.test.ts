import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wrapText } from './wrap-text.ts';

describe('wrapText', () => {
  it('breaks between words only', () => {
    assert.deepEqual(wrapText('aa bb cc', 5), ['aa bb', 'cc']);
    assert.deepEqual(wrapText('aa bbbbbbb c', 5), ['aa', 'bbbbbbb', 'c']);
    assert.deepEqual(wrapText('', 5), ['']);
  });
});
