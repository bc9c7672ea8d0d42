import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseDurationNanos } from '../../base/text/go-duration.ts';
import { type Duration, durationMs, durationNanos, formatDuration, parseDuration } from './parse-duration.ts';

describe('parseDuration', () => {
  const cases: ReadonlyArray<readonly [text: string, canonical: string, ms: number]> = [
    ['0', '0s', 0],
    ['0s', '0s', 0],
    ['-0', '0s', 0],
    ['1m30s', '1m30s', 90_000],
    ['90s', '1m30s', 90_000],
    ['1m', '1m0s', 60_000],
    ['4h', '4h0m0s', 14_400_000],
    ['24h', '24h0m0s', 86_400_000],
    ['100ms', '100ms', 100],
    ['1500ms', '1.5s', 1500],
    ['1.5h', '1h30m0s', 5_400_000],
    ['1h2m3.5s', '1h2m3.5s', 3_723_500],
    ['.5s', '500ms', 500],
    ['1.s', '1s', 1000],
    ['1us', '1µs', 0.001],
    ['1µs', '1µs', 0.001],
    ['1μs', '1µs', 0.001],
    ['1500ns', '1.5µs', 0.0015],
    ['7ns', '7ns', 0.000007],
    ['-1m', '-1m0s', -60_000],
    ['+5s', '5s', 5000],
    ['0.0000000001s', '0s', 0],
  ];
  for (const [text, canonical, ms] of cases) {
    it(`reads ${text} as ${canonical}`, () => {
      const duration = parseDuration(text);
      assert.equal(duration, canonical);
      assert.equal(durationMs(duration!), ms);
    });
  }

  for (const text of [
    '',
    '-',
    '5',
    '1',
    '.',
    '.s',
    's',
    '1 s',
    '1d',
    '1s ',
    'abc',
    '1m30',
    '9223372036854775808ns',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.equal(parseDuration(text), undefined);
    });
  }

  it('accepts the smallest int64', () => {
    assert.equal(parseDurationNanos('-9223372036854775808ns'), -(2n ** 63n));
  });
});

describe('formatDuration', () => {
  it('round-trips every int64 number of nanoseconds', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }), (nanos) => {
        assert.equal(parseDurationNanos(formatDuration(nanos)), nanos);
      }),
    );
  });
});

describe('durationNanos', () => {
  it('throws on a forged brand', () => {
    assert.throws(() => durationNanos('soon' as Duration), RangeError);
  });
});
