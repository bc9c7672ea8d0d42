/** What a copy shows while it goes on: on a terminal one line that is drawn again, in a pipe nothing but what is left out. */
import type { Writable } from 'node:stream';
import { escapeLine } from '../../../base/text/terminal-text.ts';
import { isTerminal } from '../show/paint.ts';
import { printText } from '../show/print-text.ts';

const CLEAR_LINE = '\r\x1b[K';
const DRAW_MS = 200;
const USUAL_COLUMNS = 80;
const MIB = 1024 ** 2;

export interface ProgressHost {
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
}

export class CopyProgress {
  readonly #host: ProgressHost;
  readonly #isLive: boolean;
  #files = 0;
  #bytes = 0;
  #name = '';
  #drawnMs = 0;
  #isDrawn = false;

  constructor(host: ProgressHost) {
    this.#host = host;
    this.#isLive = isTerminal(host.stderr, host.env);
  }

  get files(): number {
    return this.#files;
  }

  onFile(path: string): void {
    this.#files++;
    this.#name = path;
    this.#draw();
  }

  onBytes(count: number): void {
    this.#bytes += count;
    this.#draw();
  }

  onSkipped(path: string): void {
    this.close();
    printText(this.#host.stderr, `warning: not copied, as it is no file or directory: ${escapeLine(path)}\n`);
  }

  /** On a terminal only: a script has the exit code. */
  summarize(): void {
    this.close();
    const files = this.#files === 1 ? '1 file' : `${this.#files} files`;
    if (this.#isLive) printText(this.#host.stderr, `copied ${files}, ${this.#size()}\n`);
  }

  /** Takes the line away. */
  close(): void {
    if (this.#isDrawn) this.#host.stderr.write(CLEAR_LINE);
    this.#isDrawn = false;
  }

  #draw(): void {
    const nowMs = this.#host.now();
    if (!this.#isLive || nowMs - this.#drawnMs < DRAW_MS) return;
    this.#drawnMs = nowMs;
    this.#isDrawn = true;
    const { columns } = this.#host.stderr as { readonly columns?: number };
    const text = escapeLine(`${this.#size()}  ${this.#name}`).slice(0, (columns || USUAL_COLUMNS) - 1);
    this.#host.stderr.write(`${CLEAR_LINE}${text}`);
  }

  #size(): string {
    return this.#bytes < MIB
      ? `${Math.ceil(this.#bytes / 1024)} KiB`
      : `${(this.#bytes / MIB).toFixed(1)} MiB`;
  }
}
