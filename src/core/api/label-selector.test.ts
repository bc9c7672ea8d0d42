import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type LabelSelector, matchesLabels } from './label-selector.ts';

const LABELS = { app: 'web', tier: 'front' };
const expression = (key: string, operator: string, ...values: string[]): LabelSelector => ({
  matchExpressions: [{ key, operator, values }],
});

describe('matchesLabels', () => {
  const cases: readonly (readonly [string, LabelSelector | undefined, boolean])[] = [
    ['no selector chooses nothing', undefined, false],
    ['an empty one chooses everything', {}, true],
    ['all labels are met', { matchLabels: { app: 'web', tier: 'front' } }, true],
    ['one label is not met', { matchLabels: { app: 'web', tier: 'back' } }, false],
    ['In, one of them', expression('app', 'In', 'db', 'web'), true],
    ['In, none of them', expression('app', 'In', 'db'), false],
    ['In, not there', expression('zone', 'In', 'a'), false],
    ['NotIn, one of them', expression('app', 'NotIn', 'web'), false],
    ['NotIn, not there', expression('zone', 'NotIn', 'a'), true],
    ['Exists', expression('app', 'Exists'), true],
    ['Exists, only inherited', expression('constructor', 'Exists'), false],
    ['DoesNotExist', expression('zone', 'DoesNotExist'), true],
    ['DoesNotExist, there', expression('app', 'DoesNotExist'), false],
    ['no such operator', expression('app', 'Gt', '1'), false],
    [
      'labels met, expression not',
      { matchLabels: { app: 'web' }, ...expression('tier', 'DoesNotExist') },
      false,
    ],
  ];
  for (const [what, selector, expected] of cases)
    it(`${what}: ${expected}`, () => assert.equal(matchesLabels(selector, LABELS), expected));
});
