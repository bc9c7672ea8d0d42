import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseYaml } from './parse-yaml.ts';

describe('parseYaml', () => {
  for (const [what, text, line] of [
    ['in a block', 'a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n', 5],
    ['in braces', 'a: {b: 1,\n  b: 2}\n', 2],
    ['written in two ways', '"a": 1\na: 2\n', 2],
    ['as a number and as text', '1: a\n"1": b\n', 2],
    ['that would be the prototype', '__proto__: 1\n__proto__: 2\n', 2],
    ['in the second document', 'a: 1\n---\nb: 1\nb: 2\n', 4],
  ] as const)
    it(`refuses a key twice ${what}`, () => {
      const { error } = parseYaml(text).find((document) => document.error !== undefined) ?? {};
      assert.deepEqual(error, { line, message: 'Map keys must be unique' });
    });

  it('takes the same key in different maps', () => {
    const [document] = parseYaml('a: {x: 1}\nb: {x: 1, a: 2}\n');
    assert.deepEqual(document?.value, { a: { x: 1 }, b: { x: 1, a: 2 } });
    assert.equal(document?.lineOf('b.x'), 2);
    assert.equal(document?.lineOf('b.none'), 2);
  });

  it('lists nested too deeply are an error of the document', () => {
    const [document] = parseYaml(`a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`);
    assert.notEqual(document?.error, undefined);
  });
});
