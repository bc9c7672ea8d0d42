import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { toClientTemplate } from './certificate-template.ts';
import { computeRetryDelayMs, decideIdentityLost, decideRotation, isExpired } from './decide-rotation.ts';

const TEMPLATE = toClientTemplate('n1');
const CERTIFICATE = { ...TEMPLATE, notBeforeMs: 1000, notAfterMs: 2000 };

describe('decideRotation', () => {
  it('lies between 70 and 90 % of the life', () => {
    assert.equal(decideRotation(CERTIFICATE, TEMPLATE, 1000, 0), 1700);
    assert.equal(decideRotation(CERTIFICATE, TEMPLATE, 1000, 0.5), 1800);
    const life = fc.integer({ min: 1, max: 1e9 });
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(life, random, (lifeMs, drawn) => {
        const at = decideRotation({ ...TEMPLATE, notBeforeMs: 0, notAfterMs: lifeMs }, TEMPLATE, 0, drawn);
        return at >= lifeMs * 0.7 - 1e-6 && at <= lifeMs * 0.9 + 1e-6;
      }),
    );
  });

  for (const [what, certificate, nowMs] of [
    ['there is none', undefined, 1500],
    ['it has expired', CERTIFICATE, 2001],
    ['it is for another node', { ...CERTIFICATE, commonName: 'system:node:n2' }, 1500],
  ] as const)
    it(`is now when ${what}`, () => {
      assert.equal(decideRotation(certificate, TEMPLATE, nowMs, 0.5), nowMs);
    });
});

describe('isExpired', () => {
  it('is past once the last moment has passed', () => {
    assert.deepEqual([isExpired(CERTIFICATE, 2000), isExpired(CERTIFICATE, 2001)], [false, true]);
  });
});

describe('computeRetryDelayMs', () => {
  it('doubles from two seconds and then stays at 32', () => {
    const delays = [1, 2, 3, 4, 5, 6, 100].map((failures) => computeRetryDelayMs(failures, 0));
    assert.deepEqual(delays, [2_000, 4_000, 8_000, 16_000, 32_000, 32_000, 32_000]);
    assert.equal(computeRetryDelayMs(1, 0.5), 2_100);
  });
});

describe('decideIdentityLost', () => {
  for (const [what, facts, nowMs, expected] of [
    ['no certificate for five minutes', { lastSeenMs: 0, serverAnswers: true }, 300_000, false],
    ['none for longer', { lastSeenMs: 0, serverAnswers: true }, 300_001, true],
    ['none for longer and no API server', { lastSeenMs: 0, serverAnswers: false }, 300_001, false],
  ] as const)
    it(`is ${expected} with ${what}`, () => {
      assert.equal(decideIdentityLost(facts, nowMs), expected);
    });
});
