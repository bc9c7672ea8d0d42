/**
 * Text of others, made safe for a terminal: what would move the cursor, change
 * colours, write to the clipboard or turn the direction of reading is shown
 * instead of done. `^[` and `\r` are written as kubectl writes them.
 */

/** Both sets of controls, line separators of Unicode, marks that turn the direction of reading. */
const OBEYED = /\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const FIRST_PRINTABLE = 0x20;

/** Keeps lines and tabs. What is JSON before stays the same JSON. */
export function escapeTerminal(text: string): string {
  return text.replace(OBEYED, (character) => {
    if (character === '\n' || character === '\t') return character;
    if (character === '\r') return '\\r';
    const code = character.charCodeAt(0);
    if (code < FIRST_PRINTABLE) return `^${String.fromCharCode(code + 0x40)}`;
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** The same as one line: a text cannot look like the next line of a table. */
export function escapeLine(text: string): string {
  return escapeTerminal(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}
