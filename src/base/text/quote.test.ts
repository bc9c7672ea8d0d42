import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { quote } from './quote.ts';

const cases: [input: string, output: string][] = [
  ['', '""'],
  ['plain text', '"plain text"'],
  ['a"b\\c', '"a\\"b\\\\c"'],
  ['\n\r\t\v\f\b\u0007', '"\\n\\r\\t\\v\\f\\b\\a"'],
  ['\u0000\u007f', '"\\x00\\x7f"'],
  ['grüße 日本 🙂', '"grüße 日本 🙂"'],
  ['\u00a0\u200b', '"\\u00a0\\u200b"'],
];

describe('quote', () => {
  for (const [input, output] of cases) {
    it(`${JSON.stringify(input)} becomes ${output}`, () => assert.equal(quote(input), output));
  }
});
