import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type JsonValue,
  mergePatch,
  valueAt,
  withoutValueAt,
  withValueAt,
  withValuesAt,
} from './json-value.ts';

describe('mergePatch', () => {
  it('map key __proto__: is merged like any other', () => {
    const [target, patch] = ['{"__proto__":{"a":1}}', '{"__proto__":{"b":2}}'].map((text) =>
      JSON.parse(text),
    );
    assert.equal(JSON.stringify(mergePatch(target, patch)), '{"__proto__":{"a":1,"b":2}}');
    assert.equal(JSON.stringify(mergePatch({}, patch)), '{"__proto__":{"b":2}}');
  });

  // The examples of RFC 7386, appendix A.
  const cases: ReadonlyArray<readonly [JsonValue, JsonValue, JsonValue]> = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ];
  for (const [target, patch, result] of cases) {
    it(`merges ${JSON.stringify(patch)} onto ${JSON.stringify(target)}`, () => {
      assert.deepEqual(mergePatch(target, patch), result);
    });
  }
});

describe('dotted paths', () => {
  it('read back what was written and leave the original alone', () => {
    const path = fc.array(fc.stringMatching(/^[a-z]{1,4}$/), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(path, fc.integer(), (steps, value) => {
        const root = Object.freeze({ kept: Object.freeze({ same: 1 }) });
        const written = withValueAt(root, steps.join('.'), value);
        assert.equal(valueAt(written, steps.join('.')), value);
        assert.equal(valueAt(withoutValueAt(written, steps.join('.')), steps.join('.')), undefined);
      }),
    );
  });

  it('write many values at once, and leave what they were given', () => {
    const deep = { b: 1 };
    const root = { a: deep, c: { d: 2 } };
    const written = withValuesAt(root, [
      ['a.x', 3],
      ['a.y', 4],
      ['e.f.g', 5],
      ['e.f.h', 6],
    ]);
    assert.deepEqual(written, { a: { b: 1, x: 3, y: 4 }, c: { d: 2 }, e: { f: { g: 5, h: 6 } } });
    assert.deepEqual(root, { a: { b: 1 }, c: { d: 2 } });
    assert.equal(root.a, deep);
    assert.equal(written['c'], root.c);
  });

  it('find nothing in inherited members', () => {
    assert.equal(valueAt({}, 'constructor.name'), undefined);
  });
});
