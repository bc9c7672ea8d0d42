/**
 * The way of all text that a sub-command makes of what pods, images and
 * events say: no control sequence reaches the terminal. Only logs and streams
 * of containers go another way, as they are.
 */
import type { Writable } from 'node:stream';
import { escapeTerminal } from '../../../base/text/terminal-text.ts';

export function printText(stream: Writable, text: string): void {
  stream.write(escapeTerminal(text));
}
