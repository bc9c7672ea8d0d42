import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasMountRight } from './mount-right.ts';

describe('hasMountRight', () => {
  for (const [what, status, expected] of [
    ['root', 'CapPrm:\t0\nCapEff:\t000001ffffffffff\nCapBnd:\t0\n', true],
    ['a user', 'CapPrm:\t0\nCapEff:\t0000000000000000\nCapBnd:\t000001ffffffffff\n', false],
    ['root in a container', 'CapEff:\t00000000a80425fb\n', false],
    ['no such line', 'Name:\tnode\n', false],
  ] as const)
    it(`${what}: ${expected}`, () => assert.equal(hasMountRight(status), expected));
});
