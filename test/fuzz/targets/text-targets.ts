/** Parsers of short texts: quantities, durations, request targets, image references. */
import assert from 'node:assert/strict';
import { parseDurationNanos, renderDurationNanos } from '../../../src/base/text/go-duration.ts';
import { formatQuantity, parseQuantity, tryParseQuantity } from '../../../src/core/api/quantity.ts';
import { isMovingImage } from '../../../src/core/manifest/image-reference.ts';
import { parseTarget } from '../../../src/server/http/request-target.ts';
import { type FuzzTarget, fill } from '../fuzz-target.ts';

const MAX_UNITS = 2n ** 63n - 1n;

export const quantity: FuzzTarget = {
  name: 'quantity',
  seeds: ['100m', '1Gi', '-2.5e3', '0.000000001', '9223372036854775807', '1E', '1e9', '.5', '12e-6', '+3Ki'],
  words: [
    'Ki',
    'Mi',
    'Gi',
    'Ei',
    'n',
    'u',
    'm',
    'k',
    'e',
    'E',
    'e+',
    'e-',
    '.',
    '-',
    '+',
    '0',
    '999999999999',
  ],
  check(input) {
    const text = input.toString();
    const found = tryParseQuantity(text);
    if (found === undefined) {
      assert.throws(() => parseQuantity(text), SyntaxError);
      return;
    }
    assert.ok(found.nanos <= MAX_UNITS * 10n ** 9n && found.nanos >= -MAX_UNITS * 10n ** 9n);
    assert.equal(parseQuantity(formatQuantity(found)).nanos, found.nanos);
  },
  large: {
    digits: (size) => Buffer.from(fill('7', size)),
    fraction: (size) => Buffer.from(`0.${fill('7', size)}`),
    'large exponent': (size) => Buffer.from(`1e${fill('9', size)}`),
    'small exponent': (size) => Buffer.from(`${fill('7', size)}e-${fill('9', 6)}`),
  },
};

export const duration: FuzzTarget = {
  name: 'duration',
  seeds: ['1.5s', '2m3.25s', '120ms', '1h0m0s', '-1us', '0', '9223372036854775807ns', '+.5h', '1µs'],
  words: ['ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h', '.', '-', '+', '2562047h47m16.854775807s'],
  check(input) {
    const nanos = parseDurationNanos(input.toString());
    if (nanos === undefined) return;
    assert.ok(nanos >= -(2n ** 63n) && nanos < 2n ** 63n, String(nanos));
    assert.equal(parseDurationNanos(renderDurationNanos(nanos)), nanos);
  },
  large: {
    digits: (size) => Buffer.from(`${fill('7', size)}s`),
    fraction: (size) => Buffer.from(`0.${fill('7', size)}s`),
    terms: (size) => Buffer.from(fill('0s', size)),
    'no unit': (size) => Buffer.from(fill('1.1', size)),
  },
};

export const requestTarget: FuzzTarget = {
  name: 'request-target',
  seeds: [
    '/pods?x=1&y=%20',
    'http://host:10250/exec/ns/pod?command=a&command=b#f',
    '/%2e%2e/',
    '*',
    '//x/y?',
    '/logs/a%2Fb',
  ],
  words: ['%00', '%2f', '%zz', '..', '/', '//', '?', '#', '&', '=', 'http://', '%ff', '%e2%82%ac', '+'],
  check(input) {
    const target = parseTarget(input.toString('latin1'));
    if (target === undefined) return;
    assert.ok(target.path.length > 0);
    assert.ok(target.search === '' || target.search.startsWith('?'));
    assert.ok(!target.search.includes('#'));
  },
  large: {
    scheme: (size) => Buffer.from(`${fill('a', size)}:/`),
    escapes: (size) => Buffer.from(`/${fill('%20', size)}`),
    'a bad escape at the end': (size) => Buffer.from(`/${fill('%20', size)}%`),
    parameters: (size) => Buffer.from(`/?${fill('a=b&', size)}`),
  },
};

export const imageReference: FuzzTarget = {
  name: 'image-reference',
  seeds: ['busybox', 'a.example/b/c:latest', 'localhost:5000/x_y--z@sha256:abc', 'x:1', '[::1]:80/a', 'A/b'],
  words: ['latest', ':', '@', '/', '-', '_', '__', '.', 'sha256:', 'a'],
  check(input) {
    assert.equal(typeof isMovingImage(input.toString()), 'boolean');
  },
  large: {
    dashes: (size) => Buffer.from(`a${fill('-', size)}!`),
    'labels of a host': (size) => Buffer.from(`${fill('a-.a', size)}!/x`),
    'one label': (size) => Buffer.from(`a.${fill('a', size)}!/x`),
    parts: (size) => Buffer.from(`${fill('a__b/', size)}!`),
  },
};
