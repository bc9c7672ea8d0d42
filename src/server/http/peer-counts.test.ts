import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PeerCounts, toPeer } from './peer-counts.ts';

describe('toPeer', () => {
  for (const [address, peer] of [
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::6', '2001:db8:1:2'],
    ['2001:db8::6', '2001:db8:0:0'],
    ['2001:0DB8:0:0:ffff::6', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['fe80::2%eth1', 'fe80:0:0:0'],
    [undefined, ''],
  ] as const)
    it(`${address} counts as "${peer}"`, () => assert.equal(toPeer(address), peer));
});

describe('PeerCounts', () => {
  it('gives one peer its share and no more, and others theirs', () => {
    const counts = new PeerCounts(3, 2);
    const first = counts.take('a');
    assert.ok(first !== undefined && counts.take('a') !== undefined);
    assert.equal(counts.take('a'), undefined);
    assert.ok(counts.take('b') !== undefined);
    assert.equal(counts.take('c'), undefined, 'all are taken');
    first();
    first();
    assert.equal(counts.total, 2);
    assert.ok(counts.take('c') !== undefined);
  });
});
