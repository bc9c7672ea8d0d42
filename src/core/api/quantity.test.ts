import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  isWholeQuantity,
  milliQuantity,
  parseQuantity,
  quantityToBytes,
  quantityToMilli,
  subtractQuantities,
  tryParseQuantity,
  wholeQuantity,
} from './quantity.ts';

describe('parseQuantity', () => {
  const cases: ReadonlyArray<readonly [text: string, milli: number, bytes: number]> = [
    ['0', 0, 0],
    ['1', 1000, 1],
    ['+1', 1000, 1],
    ['100m', 100, 1],
    ['1500m', 1500, 2],
    ['0.1', 100, 1],
    ['.5', 500, 1],
    ['5.', 5000, 5],
    ['100u', 1, 1],
    ['1n', 1, 1],
    ['2e3', 2_000_000, 2000],
    ['2E3', 2_000_000, 2000],
    ['1e-3', 1, 1],
    ['1k', 1_000_000, 1000],
    ['1Ki', 1_024_000, 1024],
    ['1.5Gi', 1_610_612_736_000, 1_610_612_736],
    ['1E', 1e21, 1e18],
    ['-1', -1000, -1],
    ['-1500m', -1500, -2],
    ['-1n', -1, -1],
    ['.', 0, 0],
    ['Ki', 0, 0],
    ['-', 0, 0],
  ];
  for (const [text, milli, bytes] of cases) {
    it(`reads ${text} as ${milli} milli and ${bytes} whole units, rounding away from zero`, () => {
      assert.equal(quantityToMilli(parseQuantity(text)), milli);
      assert.equal(quantityToBytes(parseQuantity(text)), bytes);
    });
  }

  for (const text of [
    '',
    'abc',
    '1 ',
    ' 1',
    '1 Gi',
    '1K',
    '1mi',
    '1ki',
    '1e',
    '1.2.3',
    '0x10',
    '1Gi5',
    '--1',
  ]) {
    it(`refuses ${JSON.stringify(text)} and names it`, () => {
      assert.equal(tryParseQuantity(text), undefined);
      assert.throws(
        () => parseQuantity(text),
        new SyntaxError(`cannot parse quantity ${JSON.stringify(text)}`),
      );
    });
  }

  it('rounds what is finer than a nano away from zero', () => {
    assert.equal(parseQuantity('0.0000000001').nanos, 1n);
    assert.equal(parseQuantity('-1e-30').nanos, -1n);
    assert.equal(parseQuantity('0e-30').nanos, 0n);
  });

  it('caps the magnitude at 2^63-1 and survives absurd exponents', () => {
    const max = (2n ** 63n - 1n) * 1_000_000_000n;
    assert.equal(parseQuantity('9223372036854775808').nanos, max);
    assert.equal(parseQuantity('-100E').nanos, -max);
    assert.equal(parseQuantity('1e999999999').nanos, max);
    assert.equal(parseQuantity('1e-999999999').nanos, 1n);
  });
});

describe('formatQuantity', () => {
  const cases: ReadonlyArray<readonly [string, string]> = [
    ['0', '0'],
    ['0Gi', '0'],
    ['1000m', '1'],
    ['1.5', '1500m'],
    ['1000', '1k'],
    ['1500000', '1500k'],
    ['1025', '1025'],
    ['1024', '1024'],
    ['1024Ki', '1Mi'],
    ['1.5Gi', '1536Mi'],
    ['1000Ki', '1000Ki'],
    ['0.5Ki', '512'],
    ['0.0001Ki', '102400u'],
    ['1.0005Ki', '1024512m'],
    ['100Mi', '100Mi'],
    ['2e3', '2e3'],
    ['1e2', '100'],
    ['1500e-3', '1500e-3'],
    ['12E6', '12e6'],
    ['-2Gi', '-2Gi'],
    ['1n', '1n'],
  ];
  for (const [text, canonical] of cases) {
    it(`prints ${text} as ${canonical}`, () => {
      assert.equal(formatQuantity(parseQuantity(text)), canonical);
    });
  }
});

describe('quantity properties', () => {
  const suffix = fc.constantFrom('n', 'u', 'm', '', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'e-3', 'E6');
  const text = fc.tuple(fc.integer({ min: -1_000_000, max: 1_000_000 }), suffix).map(([n, s]) => `${n}${s}`);

  it('canonical text keeps the value and is a fixed point', () => {
    fc.assert(
      fc.property(text, (input) => {
        const parsed = parseQuantity(input);
        const canonical = formatQuantity(parsed);
        assert.equal(compareQuantities(parseQuantity(canonical), parsed), 0);
        assert.equal(formatQuantity(parseQuantity(canonical)), canonical);
      }),
    );
  });

  it('comparison agrees with integer order, addition undoes subtraction', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.maxSafeInteger(), (a, b) => {
        const [qa, qb] = [wholeQuantity(a), wholeQuantity(b, 'BinarySI')];
        assert.equal(compareQuantities(qa, qb), Math.sign(a - b) === 0 ? 0 : a < b ? -1 : 1);
        assert.equal(addQuantities(subtractQuantities(qa, qb), qb).nanos, qa.nanos);
      }),
    );
  });

  it('milliQuantity and wholeQuantity round-trip through their readers', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (n) => {
        assert.equal(quantityToMilli(milliQuantity(n)), n);
        assert.equal(quantityToBytes(wholeQuantity(n)), n);
        assert.ok(isWholeQuantity(wholeQuantity(n)));
        assert.equal(isWholeQuantity(milliQuantity(n)), n % 1000 === 0);
      }),
    );
  });
});
