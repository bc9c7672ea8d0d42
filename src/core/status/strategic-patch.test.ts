import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { applyPatch, type Json as FakeJson } from '../../../test/fakes/fake-api-patch.ts';
import { diffObjects, isEmptyJson, isSameJson, type PatchObject } from './strategic-patch.ts';

describe('isEmptyJson', () => {
  it('is true for what the API server leaves out', () => {
    for (const value of [undefined, null, '', 0, [], {}, { a: undefined }])
      assert.equal(isEmptyJson(value), true);
  });

  it('is false for what it keeps', () => {
    for (const value of [false, 'a', 1, -1, [0], { a: null }, { a: 0 }])
      assert.equal(isEmptyJson(value), false);
  });
});

describe('isSameJson', () => {
  const rows: [string, unknown, unknown, boolean][] = [
    ['an absent and an empty field', { a: 1 }, { a: 1, b: '', c: [], d: {}, e: 0, f: null }, true],
    ['an object of empty fields and one of none', { a: '', b: null }, {}, true],
    ['keys in another order', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ['an absent field and false', {}, { ready: false }, false],
    ['another order of a list', [1, 2], [2, 1], false],
    ['a longer list', [1], [1, 1], false],
    ['a list and an object', [1], { 0: 1 }, false],
    ['a deep difference', { a: { b: [{ c: 1 }] } }, { a: { b: [{ c: 2 }] } }, false],
    ['a number and its text', 1, '1', false],
  ];
  for (const [what, a, b, expected] of rows) {
    it(`is ${expected} for ${what}`, () => {
      assert.deepEqual([isSameJson(a, b), isSameJson(b, a)], [expected, expected]);
    });
  }
});

describe('diffObjects', () => {
  it('map key __proto__: is compared and patched like any other', () => {
    const [one, two] = ['{"__proto__":"a"}', '{"__proto__":"b"}'].map((text) => JSON.parse(text));
    assert.equal(isSameJson(one, two), false);
    assert.equal(JSON.stringify(diffObjects(one, two)), '{"__proto__":"b"}');
    assert.equal(JSON.stringify(diffObjects(one, {})), '{"__proto__":null}');
  });

  it('names what changed, with null for what is removed, and nothing else', () => {
    const current = { same: 1, changed: 'old', gone: 'x', emptied: ['y'], nested: { a: 1, b: 2 } };
    const next = { same: 1, changed: 'new', emptied: [], nested: { a: 1, b: 3 }, added: [1] };
    assert.deepEqual(diffObjects(current, next), {
      changed: 'new',
      gone: null,
      emptied: null,
      nested: { b: 3 },
      added: [1],
    });
  });

  const value = fc.oneof(
    fc.constantFrom('', 'a', 'b', 0, 1, true, false, null),
    fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('p', 'q'), fc.constantFrom('', 'a', 1), { maxKeys: 2 }),
  );
  const object = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value, { maxKeys: 4 });

  it('leads from one object to the other, and then finds nothing more', () => {
    fc.assert(
      fc.property(object, object, (current, next) => {
        const patched = applyPatch(current as FakeJson, diffObjects(current, next) as FakeJson, 'strategic');
        assert.ok(isSameJson(patched, next), JSON.stringify(patched));
        assert.deepEqual(diffObjects(patched as PatchObject, next), {});
      }),
    );
  });
});
