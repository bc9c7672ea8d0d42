import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fnv128Hex } from './fnv128.ts';

const VECTORS: readonly (readonly [text: string, hex: string])[] = [
  ['', '6c62272e07bb014262b821756295c58d'],
  ['a', 'd228cb696f1a8caf78912b704e4a8964'],
  ['foobar', '343e1662793c64bf6f0d3597ba446f18'],
];

for (const [text, hex] of VECTORS) {
  test(`fnv128Hex of ${JSON.stringify(text)} is the published vector`, () => {
    assert.equal(fnv128Hex(text), hex);
  });
}

test('fnv128Hex hashes UTF-8 bytes, not UTF-16 units', () => {
  assert.notEqual(fnv128Hex('é'), fnv128Hex('\u00e9'.normalize('NFD')));
  assert.match(fnv128Hex('é'), /^[0-9a-f]{32}$/);
});
