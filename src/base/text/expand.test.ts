import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { expand } from './expand.ts';

const values: Record<string, string> = { A: 'one', B: '$(A)', EMPTY: '', 'a b': 'spaced', '': 'nameless' };
const lookup = (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined);

const cases: [input: string, output: string][] = [
  ['plain', 'plain'],
  ['$(A)', 'one'],
  ['x$(A)y$(A)', 'xoneyone'],
  ['$(B)', '$(A)'],
  ['$(EMPTY)', ''],
  ['$(UNKNOWN)', '$(UNKNOWN)'],
  ['$(a b)', 'spaced'],
  ['$()', 'nameless'],
  ['$$', '$'],
  ['$$(A)', '$(A)'],
  ['$$$(A)', '$one'],
  ['$$$$(A)', '$$(A)'],
  ['$(A', '$(A'],
  ['$(A$$', '$(A$'],
  ['$($(A)', '$($(A)'],
  ['$($$(A)', '$($$(A)'],
  ['$A', '$A'],
  ['$x$(A)', '$xone'],
  ['end$', 'end$'],
  ['$', '$'],
  ['a)$(A)', 'a)one'],
];

describe('expand', () => {
  for (const [input, output] of cases) {
    it(`${input} becomes ${output}`, () => assert.equal(expand(input, lookup), output));
  }

  it('never expands what a value brought in', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (before, value, after) => {
        const safe = (text: string) => text.replaceAll('$', '');
        const result = expand(`${safe(before)}$(V)${safe(after)}`, (name) =>
          name === 'V' ? value : undefined,
        );
        assert.equal(result, safe(before) + value + safe(after));
      }),
    );
  });

  it('gives back any text whose dollars were doubled', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('$', '(', ')', 'A', 'x') }), (text) => {
        assert.equal(expand(text.replaceAll('$', '$$$$'), lookup), text);
      }),
    );
  });

  it('takes linear time for unclosed references', () => {
    const text = '$('.repeat(500_000);
    assert.equal(expand(text, lookup), text);
  });
});
