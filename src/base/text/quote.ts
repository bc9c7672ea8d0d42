/**
 * Text in double quotes the way Go prints it with `%q`. Messages, events and
 * the downward API promise that form, so it is part of the contract.
 */

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** Letters, marks, numbers, punctuation, symbols and the plain space are printed as they are. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Quotes `text`; characters that cannot be printed become escapes. */
export function quote(text: string): string {
  let quoted = '"';
  for (const character of text) quoted += SHORT_ESCAPES[character] ?? escapeUnprintable(character);
  return `${quoted}"`;
}

function escapeUnprintable(character: string): string {
  if (PRINTABLE.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}
