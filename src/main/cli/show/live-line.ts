/** One line at the end of a terminal that is drawn again with every change; nothing in a pipe. What it says is escaped. */
import type { Writable } from 'node:stream';
import { escapeLine } from '../../../base/text/terminal-text.ts';
import { isTerminal } from './paint.ts';

const CLEAR_LINE = '\r\x1b[K';
const USUAL_COLUMNS = 80;

export class LiveLine {
  /** On a terminal. */
  readonly isLive: boolean;
  readonly #out: Writable;
  #isDrawn = false;

  constructor(out: Writable, env: Readonly<Record<string, string | undefined>>) {
    this.#out = out;
    this.isLive = isTerminal(out, env);
  }

  draw(text: string): void {
    if (!this.isLive) return;
    const { columns } = this.#out as { readonly columns?: number };
    this.#isDrawn = true;
    this.#out.write(`${CLEAR_LINE}${escapeLine(text).slice(0, (columns || USUAL_COLUMNS) - 1)}`);
  }

  /** Takes it away. */
  clear(): void {
    if (this.#isDrawn) this.#out.write(CLEAR_LINE);
    this.#isDrawn = false;
  }
}
