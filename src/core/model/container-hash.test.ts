import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fnv1a32 } from '../../base/text/fnv.ts';
import { computeContainerHash } from './container-hash.ts';

describe('computeContainerHash', () => {
  it('matches the known value', () => {
    assert.equal(computeContainerHash({ name: 'test_container', image: 'foo/image:v1' }), '8e45cbd0');
  });

  it('depends on name and image only', () => {
    const base = computeContainerHash({ name: 'a', image: 'b' });
    assert.equal(computeContainerHash({ name: 'a', image: 'b', command: ['x'], env: [{ name: 'E' }] }), base);
    assert.notEqual(computeContainerHash({ name: 'a', image: 'c' }), base);
    assert.notEqual(computeContainerHash({ name: 'c', image: 'b' }), base);
  });

  it('escapes characters that HTML would read', () => {
    const json = '{"image":"\\u003c\\u003e\\u0026","name":"a"}';
    const bytes = [...json].map((character) => character.charCodeAt(0)).join(' ');
    assert.equal(computeContainerHash({ name: 'a', image: '<>&' }), fnv1a32(`([]uint8)[${bytes}]`));
  });
});
