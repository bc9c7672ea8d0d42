/**
 * Text of any code points. `fc.string({ unit: 'binary' })` draws the same, after it has made a table of all million of
 * them in each test file.
 */
import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };

const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES.count })
  .map((place) => String.fromCodePoint(place < SURROGATES.first ? place : place + SURROGATES.count));

export const anyText = (limits: { readonly maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.array(codePoint, limits).map((characters) => characters.join(''));
