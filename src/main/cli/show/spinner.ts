/** A line on a terminal that says what is waited for and since when, drawn again each second; nothing in a pipe. */
import type { Writable } from 'node:stream';
import { escapeLine } from '../../../base/text/terminal-text.ts';
import { isTerminal } from './paint.ts';

const CLEAR_LINE = '\r\x1b[K';
const DRAW_MS = 1_000;
const USUAL_COLUMNS = 80;

export interface SpinnerHost {
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
}

export class Spinner implements Disposable {
  readonly #host: SpinnerHost;
  readonly #text: string;
  readonly #beganMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(host: SpinnerHost, text: string) {
    this.#host = host;
    this.#text = text;
    this.#beganMs = host.now();
    if (!isTerminal(host.stderr, host.env)) return;
    this.#draw();
    this.#timer = setInterval(() => this.#draw(), DRAW_MS);
    this.#timer.unref();
  }

  /** Takes the line away. */
  stop(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#host.stderr.write(CLEAR_LINE);
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  #draw(): void {
    const { columns } = this.#host.stderr as { readonly columns?: number };
    const seconds = Math.max(0, Math.floor((this.#host.now() - this.#beganMs) / 1000));
    const text = escapeLine(`${this.#text} … ${seconds}s`).slice(0, (columns || USUAL_COLUMNS) - 1);
    this.#host.stderr.write(`${CLEAR_LINE}${text}`);
  }
}
