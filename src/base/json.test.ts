import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, tryParseJson } from './json.ts';

describe('tryParseJson', () => {
  it('reads JSON, and nothing for other text', () => {
    assert.deepEqual(tryParseJson('{"a":[1]}'), { a: [1] });
    assert.equal(tryParseJson('null'), null);
    for (const text of ['', '{', 'undefined']) assert.equal(tryParseJson(text), undefined, text);
  });
});

describe('isJsonObject', () => {
  it('is true for objects alone', () => {
    assert.equal(isJsonObject({}), true);
    for (const value of [[], null, undefined, 'a', 1])
      assert.equal(isJsonObject(value), false, String(value));
  });
});
