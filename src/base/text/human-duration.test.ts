import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderHumanDuration } from './human-duration.ts';

const S = 1_000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;

describe('renderHumanDuration', () => {
  const cases: readonly (readonly [number, string])[] = [
    [-5 * S, '0s'],
    [999, '0s'],
    [119 * S, '119s'],
    [120 * S, '2m'],
    [125 * S, '2m5s'],
    [10 * M, '10m'],
    [179 * M, '179m'],
    [3 * H + 12 * M, '3h12m'],
    [26 * H, '26h'],
    [5 * D + 2 * H, '5d2h'],
    [40 * D, '40d'],
    [3 * 365 * D, '3y'],
    [9 * 365 * D + D, '9y'],
  ];
  for (const [ms, text] of cases)
    it(`prints ${ms} ms as ${text}`, () => assert.equal(renderHumanDuration(ms), text));
});
