/**
 * What a run shows: lines of containers on standard output, what happens to pods on standard error, and on a terminal
 * a last line that is drawn again with every change. A pipe gets plain lines, in their order.
 */

import type { Writable } from 'node:stream';
import { escapeLine } from '../../../base/text/terminal-text.ts';
import { isTerminal, type Paint, paintFor } from '../show/paint.ts';
import type { PodLine } from './judge-run.ts';

const MARK = '[run]';
const CLEAR_LINE = '\r\x1b[K';
const USUAL_COLUMNS = 80;

export interface ScreenStreams {
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export class RunScreen {
  readonly #out: Writable;
  readonly #err: Writable;
  readonly #paintOut: Paint;
  readonly #paintErr: Paint;
  readonly #isLive: boolean;
  readonly #shown = new Map<string, string>();
  readonly #marks = new Map<string, Buffer>();
  #progress = '';

  constructor({ stdout, stderr, env }: ScreenStreams) {
    this.#out = stdout;
    this.#err = stderr;
    this.#paintOut = paintFor(stdout, env);
    this.#paintErr = paintFor(stderr, env);
    this.#isLive = isTerminal(stderr, env);
  }

  /** One line about the run itself. */
  say(text: string, tint: 'good' | 'busy' | 'bad' | 'dim' = 'dim'): void {
    const lines = text
      .split('\n')
      .map((line) => `${this.#paintErr('dim', MARK)} ${this.#paintErr(tint, line)}\n`);
    this.#above(() => this.#err.write(lines.join('')));
  }

  /** Prints what is new about each pod, and the last line. */
  showPods(pods: readonly PodLine[], hint: string): void {
    for (const { uid, name, mood, text, key } of pods) {
      if (this.#shown.get(uid) === key) continue;
      this.#shown.set(uid, key);
      const mark = this.#paintErr('dim', MARK);
      const line = `${mark} ${this.#paintErr('bold', `${name}:`)} ${this.#paintErr(mood, text)}\n`;
      this.#above(() => this.#err.write(line));
    }
    this.#draw(`${renderCounts(pods)}  ${hint}`);
  }

  /** Lines of a container, whole ones; resolves when there is room for more. */
  async showLog(container: string, lines: readonly Buffer[]): Promise<void> {
    const mark = this.#markOf(container);
    const text = Buffer.concat(lines.flatMap((line) => [mark, line]));
    let hasRoom = true;
    this.#above(() => {
      hasRoom = this.#out.write(text);
    });
    if (!hasRoom) await waitForRoom(this.#out);
  }

  /** Takes the last line away for good. */
  close(): void {
    this.#draw('');
  }

  #markOf(container: string): Buffer {
    const known = this.#marks.get(container);
    if (known !== undefined) return known;
    const made = Buffer.from(`${this.#paintOut(['name', this.#marks.size], `[${container}]`)} `);
    this.#marks.set(container, made);
    return made;
  }

  #above(write: () => void): void {
    if (this.#isLive && this.#progress !== '') this.#err.write(CLEAR_LINE);
    write();
    if (this.#isLive && this.#progress !== '') this.#err.write(this.#progress);
  }

  #draw(text: string): void {
    if (!this.#isLive) return;
    const { columns } = this.#err as { readonly columns?: number };
    const fitting = escapeLine(text).slice(0, (columns || USUAL_COLUMNS) - 1);
    const drawn = this.#paintErr('dim', fitting);
    if (drawn === this.#progress) return;
    this.#err.write(`${CLEAR_LINE}${drawn}`);
    this.#progress = drawn;
  }
}

/** Resolves too when what reads it has gone: then nothing makes room any more. */
function waitForRoom(stream: Writable): Promise<void> {
  if (!stream.writable) return Promise.resolve();
  return new Promise((resolve) => {
    const events = ['drain', 'error', 'close'];
    const end = (): void => {
      for (const event of events) stream.off(event, end);
      resolve();
    };
    for (const event of events) stream.on(event, end);
  });
}

function renderCounts(pods: readonly PodLine[]): string {
  const of = (mood: PodLine['mood']): number => pods.filter((pod) => pod.mood === mood).length;
  const [good, busy, bad] = [of('good'), of('busy'), of('bad')];
  const parts = [`${good} of ${pods.length} well`];
  if (busy > 0) parts.push(`${busy} under way`);
  if (bad > 0) parts.push(`${bad} in trouble`);
  return parts.join(', ');
}
