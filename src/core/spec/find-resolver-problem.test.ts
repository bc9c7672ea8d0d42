import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findResolverProblem } from './find-resolver-problem.ts';

const searches = (count: number, length = 3): string =>
  `search ${Array.from({ length: count }, (_, i) => `${i}`.padEnd(length, 'x')).join(' ')}\n`;
const file = "Resolv.conf file '/r' contains search line";

const cases: [what: string, text: string | undefined, domain: string, problem: string | undefined][] = [
  ['no file', undefined, '', 'open /r: no such file or directory'],
  ['a name server without an address', 'nameserver\n', '', 'nameserver list is empty '],
  ['as many paths as there may be', searches(32), '', undefined],
  ['one path more', searches(33), '', `${file} consisting of more than 32 domains!`],
  ['room for those of the cluster', searches(29), 'c.test', undefined],
  ['no room for those of the cluster', searches(30), 'c.test', `${file} consisting of more than 29 domains!`],
  ['a path as long as it may be', searches(1, 253), '', undefined],
  [
    'a longer path',
    searches(1, 254),
    '',
    'Resolv.conf file "/r" contains a search path which length is more than allowed 253 chars!',
  ],
  ['a line as long as it may be', `${searches(8, 253).trim()} ${'y'.repeat(16)}`, '', undefined],
  [
    'a longer line',
    `${searches(8, 253).trim()} ${'y'.repeat(17)}`,
    '',
    `${file} which length is more than allowed 2048 chars!`,
  ],
];

describe('findResolverProblem', () => {
  for (const [what, text, domain, problem] of cases)
    it(`says "${problem}" of ${what}`, () => {
      assert.equal(findResolverProblem('/r', text, domain), problem);
    });
});
