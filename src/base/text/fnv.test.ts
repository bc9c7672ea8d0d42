import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fnv1a32, fnv1a64 } from './fnv.ts';

const vectors: [text: string, hash32: string, hash64: string][] = [
  ['', '811c9dc5', 'cbf29ce484222325'],
  ['a', 'e40c292c', 'af63dc4c8601ec8c'],
  ['foobar', 'bf9cf968', '85944171f73967e8'],
];

/** The definition, byte by byte. */
function hashPlainly(text: string, bits: number, basis: bigint, prime: bigint): string {
  let hash = basis;
  for (const byte of new TextEncoder().encode(text))
    hash = BigInt.asUintN(bits, (hash ^ BigInt(byte)) * prime);
  return hash.toString(16);
}

describe('fnv1a', () => {
  it('is the hash of the UTF-8 form of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        assert.equal(fnv1a32(text), hashPlainly(text, 32, 0x811c9dc5n, 0x01000193n));
        assert.equal(fnv1a64(text), hashPlainly(text, 64, 0xcbf29ce484222325n, 0x100000001b3n));
      }),
    );
  });

  for (const [text, hash32, hash64] of vectors) {
    it(`matches the published hashes of ${JSON.stringify(text)}`, () => {
      assert.equal(fnv1a32(text), hash32);
      assert.equal(fnv1a64(text), hash64);
    });
  }

  it('hashes the printed state of a resource manager to its known checksum', () => {
    const text =
      '(*state.CPUManagerCheckpoint){PolicyName:(string)none DefaultCPUSet:(string) Entries:(map[string]map[string]string)map[] Checksum:(checksum.Checksum)0}';
    assert.equal(Number.parseInt(fnv1a32(text), 16), 1353318690);
  });
});
