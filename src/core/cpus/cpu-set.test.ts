import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ascending, parseCpuSet } from './cpu-set.ts';

describe('parseCpuSet', () => {
  it('reads lists and ranges, whatever their order', () => {
    assert.deepEqual(ascending(parseCpuSet('7,0-2,1') ?? []), [0, 1, 2, 7]);
    assert.deepEqual(parseCpuSet('0-1\n'), new Set([0, 1]), 'as the kernel ends its files');
    assert.deepEqual(parseCpuSet(''), new Set());
  });

  it('refuses malformed lists, and numbers that no CPU has', () => {
    for (const text of ['a', '1-', '-1', '3-1', '1,,2', '1;2', '0, 2', '0-65536', '0-999999'])
      assert.equal(parseCpuSet(text), undefined, text);
  });
});
