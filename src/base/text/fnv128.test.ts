import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Fnv128 } from './fnv128.ts';

const VECTORS: readonly (readonly [text: string, hex: string])[] = [
  ['', '6c62272e07bb014262b821756295c58d'],
  ['a', 'd228cb696f1a8caf78912b704e4a8964'],
  ['foobar', '343e1662793c64bf6f0d3597ba446f18'],
];

for (const [text, hex] of VECTORS) {
  test(`Fnv128 of ${JSON.stringify(text)} is the published vector`, () => {
    assert.equal(new Fnv128().update(text).hex(), hex);
  });
}

/** The definition, with big integers. */
function slowHash(text: string): string {
  const mask = (1n << 128n) - 1n;
  let hash = 0x6c62272e07bb014262b821756295c58dn;
  for (const byte of new TextEncoder().encode(text))
    hash = ((hash ^ BigInt(byte)) * 0x1000000000000000000013bn) & mask;
  return hash.toString(16).padStart(32, '0');
}

test('Fnv128 equals its definition for any text, in one piece or several', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 }), (pieces) => {
      const hash = new Fnv128();
      for (const piece of pieces) hash.update(piece);
      assert.equal(hash.hex(), slowHash(pieces.join('')));
    }),
  );
});

test('Fnv128 hashes UTF-8 bytes, not UTF-16 units', () => {
  assert.equal(new Fnv128().update('é😀').hex(), slowHash('é😀'));
});
