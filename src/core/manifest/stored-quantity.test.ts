import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addStored,
  compareStored,
  renderStored,
  roundToMilli,
  type StoredQuantity,
  toStoredQuantity,
} from './stored-quantity.ts';

/** `value×10^scale` or `[words]/10^scale`, then the kept text and the format. */
function brief({ value, scale, decimal, text, format }: StoredQuantity): string {
  const number = decimal === undefined ? `${value}e${scale}` : `${decimal.unscaled}/e${decimal.scale}`;
  return `${number} ${JSON.stringify(text)} ${format}`;
}

// As the upstream kubelet 1.36.4 stores them: on reading, and rounded as in a list of resources.
const STORED: readonly (readonly [text: string, read: string, rounded?: string])[] = [
  ['0', '0e0 "0" DecimalSI'],
  ['00', '0e0 "" DecimalSI'],
  ['0.0', '0e-1 "" DecimalSI'],
  ['0Ki', '0e0 "" BinarySI'],
  ['0.0Ki', '0/e1 "" BinarySI', '0/e3 "" BinarySI'],
  ['100m', '100e-3 "100m" DecimalSI'],
  ['1000m', '1000e-3 "" DecimalSI'],
  ['1.50', '150e-2 "" DecimalSI'],
  ['+5', '5e0 "+5" DecimalSI'],
  ['.5', '5e-1 "" DecimalSI'],
  ['1e3', '1e3 "1e3" DecimalExponent'],
  ['1E', '1e18 "1E" DecimalSI'],
  ['16Gi', '17179869184e0 "" BinarySI'],
  ['1Gi', '1073741824e0 "1Gi" BinarySI'],
  ['1500000n', '1500000e-9 "" DecimalSI', '2e-3 "" DecimalSI'],
  ['1n', '1e-9 "1n" DecimalSI', '1e-3 "" DecimalSI'],
  ['-1.5Gi', '-1610612736000000000/e9 "" BinarySI', '-1610612736000/e3 "" BinarySI'],
  ['0.0001Ki', '102400000/e9 "" DecimalSI', '103/e3 "" DecimalSI'],
  ['1.5e-12', '1/e9 "" DecimalExponent', '1/e3 "" DecimalExponent'],
  ['99999999999999999999Gi', '9223372036854775807/e0 "" BinarySI', '9223372036854775807000/e3 "" BinarySI'],
  [
    '99999999999999999999',
    '99999999999999999999000000000/e9 "" DecimalSI',
    '99999999999999999999000/e3 "" DecimalSI',
  ],
];

for (const [text, read, rounded = read] of STORED) {
  test(`toStoredQuantity keeps ${text} as ${read}, roundToMilli as ${rounded}`, () => {
    const stored = toStoredQuantity(text);
    assert.equal(brief(stored), read);
    assert.equal(brief(roundToMilli(stored)), rounded);
  });
}

const SUMS: readonly (readonly [a: string, b: string, sum: string])[] = [
  ['1', '500m', '1500e-3 "" DecimalSI'],
  ['500m', '1', '1500e-3 "" DecimalSI'],
  ['0', '1Gi', '1073741824e0 "" BinarySI'],
  ['1Gi', '0', '1073741824e0 "" BinarySI'],
  ['1', '0.5Gi', '536870913000000000/e9 "" DecimalSI'],
  ['900000000000000000', '9E', '9900000000000000000/e0 "" DecimalSI'],
];

for (const [a, b, sum] of SUMS) {
  test(`addStored makes ${sum} of ${a} and ${b}`, () => {
    assert.equal(brief(addStored(toStoredQuantity(a), toStoredQuantity(b))), sum);
  });
}

test('compareStored compares numbers, not spellings', () => {
  const order = (a: string, b: string) => compareStored(toStoredQuantity(a), toStoredQuantity(b));
  assert.equal(order('1000m', '1'), 0);
  assert.equal(order('0.5Gi', '512Mi'), 0);
  assert.equal(order('1n', '0'), 1);
  assert.equal(order('1k', '1Ki'), -1);
});

test('renderStored shows numbers beyond 64 bits in words, lowest first', () => {
  assert.match(
    renderStored(toStoredQuantity('9223372036854775807')),
    /abs:\(big\.nat\)\[18446744072709551616 499999999\]\} scale:\(inf\.Scale\)9/,
  );
});

test('toStoredQuantity of what is no quantity is unset, with its text', () => {
  assert.equal(brief(toStoredQuantity('x')), '0e0 "x" ');
});
