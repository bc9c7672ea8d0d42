import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32 as ofZlib } from 'node:zlib';
import fc from 'fast-check';
import { crc32 } from './crc32.ts';

describe('crc32', () => {
  it('is what zlib computes', () => {
    assert.equal(crc32('123456789'), 0xcbf43926);
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => crc32(text) === ofZlib(text)));
  });
});
