/** What a copy shows while it goes on: on a terminal one line that is drawn again, in a pipe nothing but what is left out. */
import type { Writable } from 'node:stream';
import { escapeLine } from '../../../base/text/terminal-text.ts';
import { LiveLine } from '../show/live-line.ts';
import { printText } from '../show/print-text.ts';

const DRAW_MS = 200;
const MIB = 1024 ** 2;

export interface ProgressHost {
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
}

export class CopyProgress {
  readonly #host: ProgressHost;
  readonly #line: LiveLine;
  #files = 0;
  #bytes = 0;
  #name = '';
  #drawnMs = 0;

  constructor(host: ProgressHost) {
    this.#host = host;
    this.#line = new LiveLine(host.stderr, host.env);
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
    if (this.#line.isLive) printText(this.#host.stderr, `copied ${files}, ${this.#size()}\n`);
  }

  /** Takes the line away. */
  close(): void {
    this.#line.clear();
  }

  #draw(): void {
    const nowMs = this.#host.now();
    if (nowMs - this.#drawnMs < DRAW_MS) return;
    this.#drawnMs = nowMs;
    this.#line.draw(`${this.#size()}  ${this.#name}`);
  }

  #size(): string {
    return this.#bytes < MIB
      ? `${Math.ceil(this.#bytes / 1024)} KiB`
      : `${(this.#bytes / MIB).toFixed(1)} MiB`;
  }
}
