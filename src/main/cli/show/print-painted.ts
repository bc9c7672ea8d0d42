/**
 * Prints text that is made of what pods say, with colours on a terminal. The text is escaped before it is coloured, so
 * that the only sequences are ours; in a pipe it is what `printText` prints.
 */
import type { Writable } from 'node:stream';
import { escapeTerminal } from '../../../base/text/terminal-text.ts';
import { isColoured, toSequence } from './paint.ts';
import { PAINT_RULES, type PaintedKind } from './paint-rules.ts';
import { printText } from './print-text.ts';

export interface PaintedHost {
  readonly stdout: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function printPainted({ stdout, env }: PaintedHost, text: string, kind: PaintedKind): void {
  if (!isColoured(stdout, env)) printText(stdout, text);
  else stdout.write(paintText(text, kind));
}

/** The first rule that fits at a place colours it. */
function paintText(text: string, kind: PaintedKind): string {
  const rules = PAINT_RULES[kind];
  const all = new RegExp(rules.map(([{ source }]) => `(${source})`).join('|'), 'gm');
  return escapeTerminal(text).replace(all, (found, ...groups: readonly unknown[]) => {
    const tint = rules[groups.indexOf(found)]?.[1];
    return tint === undefined || found === '' ? found : toSequence(tint, found);
  });
}
