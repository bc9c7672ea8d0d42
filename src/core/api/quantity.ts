/**
 * Kubernetes resource quantities ("100m", "1Gi", "2e3"): exact parsing, canonical printing, comparison.
 * Part of the domain language: requests, limits, capacities, thresholds and configuration all use it.
 * Invariants: a value is a whole number of nanos (finer input is rounded away from zero, as the API server
 * does), its magnitude never exceeds 2^63-1, and `parseQuantity(formatQuantity(q))` has the value of `q`.
 */

/** How the quantity was written; it decides the suffix family used when it is printed again. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** An exact amount in units of 10⁻⁹. */
export interface Quantity {
  readonly nanos: bigint;
  readonly format: QuantityFormat;
}

const NANOS = 1_000_000_000n;
const MAX_NANOS = (2n ** 63n - 1n) * NANOS;
const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const;
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;
/** Beyond this decimal exponent every value is capped or rounds to one nano, so bigger powers are pointless. */
const EXPONENT_LIMIT = 64;

const QUANTITY = /^([+-]?)(\d*)(?:\.(\d*))?(|[numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)$/;

/**
 * Parses a quantity as the API server does.
 * @throws SyntaxError when `text` is not a quantity.
 */
export function parseQuantity(text: string): Quantity {
  const quantity = tryParseQuantity(text);
  if (quantity === undefined) throw new SyntaxError(`cannot parse quantity ${JSON.stringify(text)}`);
  return quantity;
}

/** Every pass of a pod asks for the same few; bounded, because a manifest may have any. */
const known = new Map<string, Quantity | undefined>();
const KNOWN_LIMIT = 500;
const KNOWN_LENGTH = 20;

/** Like {@link parseQuantity}, but answers `undefined` for malformed text: for input that may be wrong. */
export function tryParseQuantity(text: string): Quantity | undefined {
  if (known.has(text)) return known.get(text);
  const quantity = parse(text);
  if (text.length > KNOWN_LENGTH) return quantity;
  if (known.size >= KNOWN_LIMIT) known.clear();
  known.set(text, quantity);
  return quantity;
}

function parse(text: string): Quantity | undefined {
  const match = QUANTITY.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  // Odd but true: the API server reads "." or "Ki" as zero; only empty text is refused.
  if (text === '') return undefined;
  const { format, factor, exponent } = scaleOf(suffix);
  const digits = BigInt(`0${whole}${fraction}`) * factor * NANOS;
  let magnitude = scaleByPowerOfTen(digits, exponent - fraction.length);
  if (magnitude > MAX_NANOS) magnitude = MAX_NANOS;
  return { nanos: sign === '-' ? -magnitude : magnitude, format };
}

/** A whole number of units (bytes, pods, cores) as a quantity. */
export function wholeQuantity(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
  return { nanos: BigInt(value) * NANOS, format };
}

/** A number of thousandths (millicores) as a decimal quantity. */
export function milliQuantity(milli: number | bigint): Quantity {
  return { nanos: BigInt(milli) * 1_000_000n, format: 'DecimalSI' };
}

/** Thousandths of a unit, rounded away from zero; exact up to 2^53. */
export function quantityToMilli(quantity: Quantity): number {
  return Number(divideAwayFromZero(quantity.nanos, 1_000_000n));
}

/** Whole units (bytes for memory and storage), rounded away from zero; exact up to 2^53. */
export function quantityToBytes(quantity: Quantity): number {
  return Number(divideAwayFromZero(quantity.nanos, NANOS));
}

/** True when the quantity is a whole number of units. */
export function isWholeQuantity(quantity: Quantity): boolean {
  return quantity.nanos % NANOS === 0n;
}

/** Negative, zero or positive as `a` is less than, equal to or greater than `b`, whatever their formats. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
}

/** The sum, in the format of `a` unless `a` is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos + b.nanos, format: a.nanos === 0n ? b.format : a.format };
}

/** The difference `a - b`, in the format of `a` unless `a` is zero. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return addQuantities(a, { nanos: -b.nanos, format: b.format });
}

/**
 * Prints the canonical form: no fraction, the largest suffix that keeps the mantissa whole.
 * Binary quantities below 1024 or with a fraction print as decimals.
 */
export function formatQuantity(quantity: Quantity): string {
  const { nanos, format } = quantity;
  if (nanos === 0n) return '0';
  const small = nanos > -1024n * NANOS && nanos < 1024n * NANOS;
  if (format === 'BinarySI' && !small && isWholeQuantity(quantity)) return formatBinary(nanos / NANOS);
  const [mantissa, steps] = stripFactor(nanos, 1000n, DECIMAL_SUFFIXES.length - 1);
  const power = steps * 3 - 9;
  if (format === 'DecimalExponent') return power === 0 ? `${mantissa}` : `${mantissa}e${power}`;
  return `${mantissa}${DECIMAL_SUFFIXES[steps] ?? ''}`;
}

function formatBinary(units: bigint): string {
  const [mantissa, steps] = stripFactor(units, 1024n, BINARY_SUFFIXES.length - 1);
  return `${mantissa}${BINARY_SUFFIXES[steps] ?? ''}`;
}

interface SuffixScale {
  readonly format: QuantityFormat;
  readonly factor: bigint;
  readonly exponent: number;
}

function scaleOf(suffix: string): SuffixScale {
  const binary = BINARY_SUFFIXES.indexOf(suffix as (typeof BINARY_SUFFIXES)[number]);
  if (binary > 0) return { format: 'BinarySI', factor: 1024n ** BigInt(binary), exponent: 0 };
  const decimal = DECIMAL_SUFFIXES.indexOf(suffix as (typeof DECIMAL_SUFFIXES)[number]);
  if (decimal >= 0) return { format: 'DecimalSI', factor: 1n, exponent: decimal * 3 - 9 };
  return { format: 'DecimalExponent', factor: 1n, exponent: Number(suffix.slice(1)) };
}

function scaleByPowerOfTen(value: bigint, exponent: number): bigint {
  // An exponent far out of range would build a number of that many digits; the cap makes it irrelevant.
  if (exponent >= 0) return value * 10n ** BigInt(Math.min(exponent, EXPONENT_LIMIT));
  const digits = value.toString().length;
  return divideAwayFromZero(value, 10n ** BigInt(Math.min(-exponent, digits + 1)));
}

function stripFactor(value: bigint, factor: bigint, limit: number): [mantissa: bigint, steps: number] {
  let mantissa = value;
  let steps = 0;
  while (steps < limit && mantissa % factor === 0n) {
    mantissa /= factor;
    steps += 1;
  }
  return [mantissa, steps];
}

function divideAwayFromZero(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  if (value % divisor === 0n) return quotient;
  return value < 0n ? quotient - 1n : quotient + 1n;
}
