import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { matchesGlob } from './glob.ts';

describe('matchesGlob', () => {
  const rows: [pattern: string, text: string, matches: boolean][] = [
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['*', 'anything', true],
    ['a*', 'a', true],
    ['a*c', 'abbc', true],
    ['a*c', 'abbd', false],
    ['*a*b', 'xaxaxb', true],
    ['?', 'a', true],
    ['?', '', false],
    ['[a-c]x', 'bx', true],
    ['[a-c]x', 'dx', false],
    ['[^a-c]x', 'dx', true],
    ['[^a-c]x', 'bx', false],
    ['[]a]', 'a', false],
    ['[a', 'a', false],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['a\\', 'a', false],
  ];
  for (const [pattern, text, matches] of rows)
    it(`${JSON.stringify(pattern)} ${matches ? 'takes' : 'refuses'} ${JSON.stringify(text)}`, () => {
      assert.equal(matchesGlob(pattern, text), matches);
    });

  it('stars and question marks mean what they mean in a regular expression', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 6 });
    fc.assert(
      fc.property(pattern, letters, (glob, text) => {
        const expression = new RegExp(`^${glob.replaceAll('?', '.').replaceAll('*', '.*')}$`);
        assert.equal(matchesGlob(glob, text), expression.test(text));
      }),
    );
  });

  it('a pattern crafted for exponential backtracking takes linear time', () => {
    // A backtracking matcher would take longer than this machine will exist.
    assert.equal(matchesGlob(`${'*a'.repeat(60)}*b`, 'a'.repeat(2_000)), false);
  });
});
