import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ownValue, setOwnValue } from './own-value.ts';

describe('setOwnValue and ownValue', () => {
  it('take __proto__ and names of inherited things for keys like others', () => {
    const map: Record<string, unknown> = {};
    for (const key of ['__proto__', 'constructor', 'a']) {
      assert.equal(ownValue(map, key), undefined);
      setOwnValue(map, key, { key });
      assert.deepEqual(ownValue(map, key), { key });
    }
    assert.equal(
      JSON.stringify(map),
      '{"__proto__":{"key":"__proto__"},"constructor":{"key":"constructor"},"a":{"key":"a"}}',
    );
    assert.equal(Object.getPrototypeOf(map), Object.prototype);
    setOwnValue(map, '__proto__', 1);
    assert.equal(ownValue(map, '__proto__'), 1);
  });
});
