import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toApiTime } from './api-time.ts';

describe('toApiTime', () => {
  const cases: readonly (readonly [ms: number, text: string])[] = [
    [0, '1970-01-01T00:00:00Z'],
    [1_136_214_245_000, '2006-01-02T15:04:05Z'],
    [1_136_214_245_999.75, '2006-01-02T15:04:05Z'],
  ];
  for (const [ms, text] of cases) it(`prints ${ms} as ${text}`, () => assert.equal(toApiTime(ms), text));
});
