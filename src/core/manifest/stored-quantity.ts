/**
 * A quantity the way Kubernetes keeps it in memory, which shows how it was written: `1` and `1000m` are equal
 * but not stored alike. Only the UID of a static pod depends on it; everything else uses core/api/quantity.ts.
 *
 * Two forms: a 64-bit number times a power of ten, or, where that does not hold or the text is binary with a
 * fraction, a decimal of any size. Text that is already canonical is kept with it.
 */
import type { QuantityFormat } from '../api/quantity.ts';

export interface StoredQuantity {
  /** The number is value × 10^scale; both are zero when `decimal` holds it. */
  readonly value: bigint;
  readonly scale: number;
  /** The number is unscaled × 10^-scale. */
  readonly decimal?: Decimal;
  readonly text: string;
  /** Empty only for a quantity that was never set. */
  readonly format: QuantityFormat | '';
}

interface Decimal {
  readonly unscaled: bigint;
  readonly scale: number;
}

export const UNSET_QUANTITY: StoredQuantity = { value: 0n, scale: 0, text: '', format: '' };

const QUANTITY = /^([+-]?)0*(\d*)(?:\.(\d*))?(|[numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)$/;
const MAX = 2n ** 63n - 1n;
const WORD = 64n;
/** Digits that surely fit 64 bits; a binary suffix takes three for each of its steps. */
const DECIMAL_DIGITS = 18;
const BINARY_DIGITS = 14;
const NANO_DIGITS = 9;
const MILLI_DIGITS = 3;
/** Beyond it a number is absurd, and building it would cost more than it is worth. */
const EXPONENT_LIMIT = 1000;

/** Reads `text` as Kubernetes does; what is no quantity stands as unset but keeps its text. */
export function toStoredQuantity(text: string): StoredQuantity {
  if (text === '0') return { value: 0n, scale: 0, text, format: 'DecimalSI' };
  const match = QUANTITY.exec(text);
  if (match === null) return { ...UNSET_QUANTITY, text };
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  const written: Written = {
    text,
    isNegative: sign === '-',
    whole: whole || '0',
    fraction,
    ...readSuffix(suffix),
  };
  return toQuickForm(written) ?? toDecimalForm(written);
}

interface Written extends Suffix {
  readonly text: string;
  readonly isNegative: boolean;
  /** Digits before the point without leading zeros, at least one. */
  readonly whole: string;
  readonly fraction: string;
}

interface Suffix {
  readonly format: QuantityFormat;
  /** Of ten; zero for a binary suffix. */
  readonly exponent: number;
  /** How often to multiply by 1024. */
  readonly steps: number;
}

function readSuffix(suffix: string): Suffix {
  if (suffix.endsWith('i'))
    return { format: 'BinarySI', exponent: 0, steps: ' KMGTPE'.indexOf(suffix.charAt(0)) };
  if (suffix === '') return { format: 'DecimalSI', exponent: 0, steps: 0 };
  if (suffix.length === 1) {
    return { format: 'DecimalSI', exponent: 'num kMGTPE'.indexOf(suffix) * 3 - NANO_DIGITS, steps: 0 };
  }
  const exponent = Math.max(-EXPONENT_LIMIT, Math.min(EXPONENT_LIMIT, Number(suffix.slice(1))));
  return { format: 'DecimalExponent', exponent, steps: 0 };
}

function toQuickForm(written: Written): StoredQuantity | undefined {
  const { text, whole, fraction, format, steps } = written;
  const isBinary = format === 'BinarySI';
  const limit = isBinary ? BINARY_DIGITS - steps * 3 : DECIMAL_DIGITS;
  if (whole.length + fraction.length > limit || (isBinary && fraction !== '')) return undefined;
  const scale = written.exponent - fraction.length;
  if (scale < -NANO_DIGITS) return undefined;
  const digits = whole + fraction;
  const mantissa = BigInt(digits);
  const magnitude = mantissa << BigInt(steps * 10);
  if (magnitude > MAX) return undefined;
  const isCanonical = isBinary
    ? (mantissa & 7n) !== 0n
    : scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
  return { value: written.isNegative ? -magnitude : magnitude, scale, text: isCanonical ? text : '', format };
}

function toDecimalForm({ isNegative, whole, fraction, exponent, steps, format }: Written): StoredQuantity {
  const digits = BigInt(whole + fraction) << BigInt(steps * 10);
  const read: Decimal = { unscaled: digits, scale: fraction.length - exponent };
  // Zero is the one number that is not brought to nanos.
  let decimal = digits === 0n ? read : rescale(read, NANO_DIGITS);
  const isBinary = format === 'BinarySI';
  const one = 10n ** BigInt(NANO_DIGITS);
  const isBelowOne = digits > 0n && decimal.unscaled < one;
  if (isBinary && decimal.unscaled > MAX * one) decimal = { unscaled: MAX, scale: 0 };
  return {
    ...UNSET_QUANTITY,
    decimal: isNegative ? { ...decimal, unscaled: -decimal.unscaled } : decimal,
    format: isBinary && isBelowOne ? 'DecimalSI' : format,
  };
}

/** The same number with `scale` digits after the point, rounded away from zero. */
function rescale({ unscaled, scale: old }: Decimal, scale: number): Decimal {
  if (old <= scale) return { unscaled: unscaled * 10n ** BigInt(scale - old), scale };
  const divisor = 10n ** BigInt(old - scale);
  const quotient = unscaled / divisor;
  if (unscaled % divisor === 0n) return { unscaled: quotient, scale };
  return { unscaled: quotient + (unscaled < 0n ? -1n : 1n), scale };
}

/** What defaulting makes of every quantity in a list of resources: nothing finer than thousandths. */
export function roundToMilli(quantity: StoredQuantity): StoredQuantity {
  const { decimal, value, scale, format } = quantity;
  if (decimal !== undefined) return { ...quantity, text: '', decimal: rescale(decimal, MILLI_DIGITS) };
  if (scale >= -MILLI_DIGITS) return quantity;
  const { unscaled } = rescale({ unscaled: value, scale: -scale }, MILLI_DIGITS);
  return { value: unscaled, scale: -MILLI_DIGITS, text: '', format };
}

/** The sum, stored as adding `b` to `a` in place would. */
export function addStored(a: StoredQuantity, b: StoredQuantity): StoredQuantity {
  const format = isZero(a) ? b.format : a.format;
  const quick = a.decimal === undefined && b.decimal === undefined ? addQuick(a, b) : undefined;
  if (quick !== undefined) return { ...quick, text: '', format };
  const [x, y] = toSameScale(a, b);
  return { ...UNSET_QUANTITY, decimal: { unscaled: x.unscaled + y.unscaled, scale: x.scale }, format };
}

type Quick = Pick<StoredQuantity, 'value' | 'scale'>;

function addQuick(a: Quick, b: Quick): Quick | undefined {
  if (b.value === 0n) return { value: a.value, scale: a.scale };
  if (a.value === 0n) return { value: b.value, scale: b.scale };
  const scale = Math.min(a.scale, b.scale);
  const x = a.value * 10n ** BigInt(a.scale - scale);
  const y = b.value * 10n ** BigInt(b.scale - scale);
  const doesFit = [x, y, x + y].every((one) => one <= MAX && one >= -MAX);
  return doesFit ? { value: x + y, scale } : undefined;
}

/** Negative, zero or positive as `a` is less than, equal to or greater than `b`. */
export function compareStored(a: StoredQuantity, b: StoredQuantity): number {
  const [x, y] = toSameScale(a, b);
  return x.unscaled < y.unscaled ? -1 : x.unscaled > y.unscaled ? 1 : 0;
}

function toSameScale(a: StoredQuantity, b: StoredQuantity): [Decimal, Decimal] {
  const [x, y] = [toDecimal(a), toDecimal(b)];
  const scale = Math.max(x.scale, y.scale);
  return [rescale(x, scale), rescale(y, scale)];
}

function toDecimal({ decimal, value, scale }: StoredQuantity): Decimal {
  return decimal ?? { unscaled: value, scale: -scale };
}

function isZero({ decimal, value }: StoredQuantity): boolean {
  return (decimal?.unscaled ?? value) === 0n;
}

/** The quantity as the dump of a pod shows it. */
export function renderStored({ value, scale, decimal, text, format }: StoredQuantity): string {
  const quick = `i:(resource.int64Amount){value:(int64)${value} scale:(resource.Scale)${scale}}`;
  const big = decimal === undefined ? '<nil>' : renderDecimal(decimal);
  return `{${quick} d:(resource.infDecAmount){Dec:(*inf.Dec)${big}} s:(string)${text} Format:(resource.Format)${format}}`;
}

function renderDecimal({ unscaled, scale }: Decimal): string {
  const words: bigint[] = [];
  for (let rest = unscaled < 0n ? -unscaled : unscaled; rest > 0n; rest >>= WORD)
    words.push(BigInt.asUintN(64, rest));
  const digits = words.length === 0 ? '<nil>' : `[${words.join(' ')}]`;
  return `{unscaled:(big.Int){neg:(bool)${unscaled < 0n} abs:(big.nat)${digits}} scale:(inf.Scale)${scale}}`;
}
