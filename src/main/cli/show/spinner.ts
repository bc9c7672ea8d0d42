/** Says on a terminal what is waited for and since when, drawn again each second; nothing in a pipe. */
import type { Writable } from 'node:stream';
import { LiveLine } from './live-line.ts';

const DRAW_MS = 1_000;

export interface SpinnerHost {
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
}

export class Spinner implements Disposable {
  readonly #line: LiveLine;
  #timer: NodeJS.Timeout | undefined;

  constructor({ stderr, env, now }: SpinnerHost, text: string) {
    this.#line = new LiveLine(stderr, env);
    if (!this.#line.isLive) return;
    const beganMs = now();
    const draw = (): void =>
      this.#line.draw(`${text} … ${Math.max(0, Math.floor((now() - beganMs) / 1000))}s`);
    draw();
    this.#timer = setInterval(draw, DRAW_MS);
    this.#timer.unref();
  }

  /** Takes the line away. */
  stop(): void {
    clearInterval(this.#timer);
    this.#line.clear();
  }

  [Symbol.dispose](): void {
    this.stop();
  }
}
