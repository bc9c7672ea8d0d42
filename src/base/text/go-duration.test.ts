import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { renderGoDuration } from './go-duration.ts';

const UNITS_MS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
  µs: 1e-3,
  ns: 1e-6,
};

describe('renderGoDuration', () => {
  for (const [ms, text] of [
    [0, '0s'],
    [0.0000001, '0s'],
    [0.000001, '1ns'],
    [0.0015, '1.5µs'],
    [0.5, '500µs'],
    [1, '1ms'],
    [120.5, '120.5ms'],
    [999.999999, '999.999999ms'],
    [1_000, '1s'],
    [1_500, '1.5s'],
    [10_000, '10s'],
    [60_000, '1m0s'],
    [59_999.9999999, '1m0s'],
    [123_250, '2m3.25s'],
    [300_000, '5m0s'],
    [3_600_000, '1h0m0s'],
    [90_061_001, '25h1m1.001s'],
  ] as const) {
    it(`prints ${ms} ms as ${text}`, () => assert.equal(renderGoDuration(ms), text));
  }

  it('prints parts that add up to the duration', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000_000), (ms) => {
        const parts = [...renderGoDuration(ms).matchAll(/([\d.]+)(h|ms|m|s|µs|ns)/g)];
        const sum = parts.reduce(
          (total, [, value, unit]) => total + Number(value) * (UNITS_MS[unit ?? ''] ?? NaN),
          0,
        );
        assert.ok(Math.abs(sum - ms) < 1e-3, `${sum} is not ${ms}`);
      }),
    );
  });
});
