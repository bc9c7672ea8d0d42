/**
 * Colours, on a terminal only: none in a pipe, none where NO_COLOR is set or the terminal knows none. What is painted
 * is escaped first, so that the only sequences are ours.
 */
import type { Writable } from 'node:stream';
import { escapeLine } from '../../../base/text/terminal-text.ts';

export type Tint = 'good' | 'busy' | 'bad' | 'dim' | 'bold' | readonly ['name', number];

const CODES: Readonly<Record<Exclude<Tint, readonly unknown[]>, string>> = {
  good: '32',
  busy: '33',
  bad: '31',
  dim: '2',
  bold: '1',
};
/** For names that stand beside each other; no red, which means trouble. */
const NAME_CODES: readonly string[] = ['36', '35', '34', '32', '33', '96', '95', '94'];

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a line there can be drawn again. */
export function isTerminal(stream: Writable, env: Environment): boolean {
  return (stream as { readonly isTTY?: boolean }).isTTY === true && env['TERM'] !== 'dumb';
}

/** One line of text in a colour, or as it is. */
export type Paint = (tint: Tint, text: string) => string;

export function isColoured(stream: Writable, env: Environment): boolean {
  return isTerminal(stream, env) && (env['NO_COLOR'] ?? '') === '';
}

export function paintFor(stream: Writable, env: Environment): Paint {
  const coloured = isColoured(stream, env);
  return (tint, text) => {
    const safe = escapeLine(text);
    return coloured && safe !== '' ? toSequence(tint, safe) : safe;
  };
}

/** For text that is safe already. */
export function toSequence(tint: Tint, safe: string): string {
  return `\x1b[${codeOf(tint)}m${safe}\x1b[0m`;
}

function codeOf(tint: Tint): string {
  return typeof tint === 'string' ? CODES[tint] : (NAME_CODES[tint[1] % NAME_CODES.length] ?? '36');
}
