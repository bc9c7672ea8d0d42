/**
 * Shows steps as they go: on a terminal a small list that is drawn again in
 * place, elsewhere one plain line per step that got somewhere.
 */
import type { Step, StepState } from './pod-steps.ts';

const MARKS: Readonly<Record<StepState, string>> = { waiting: '·', doing: '…', done: '✓', failed: '✗' };
const COLOURS: Readonly<Record<StepState, string>> = {
  waiting: '\x1b[2m',
  doing: '\x1b[33m',
  done: '\x1b[32m',
  failed: '\x1b[31m',
};
const RESET = '\x1b[0m';

export interface StepViewOptions {
  readonly isTerminal: boolean;
  readonly write: (text: string) => void;
  /** Milliseconds since the beginning. */
  readonly elapsedMs: () => number;
}

export class StepView {
  readonly #options: StepViewOptions;
  readonly #times = new Map<string, string>();
  #shown = '';
  #height = 0;

  constructor(options: StepViewOptions) {
    this.#options = options;
  }

  show(steps: readonly Step[]): void {
    for (const [i, step] of steps.entries()) {
      const key = `${i} ${step.name} ${step.state} ${step.text}`;
      if (step.state === 'waiting' || this.#times.has(key)) continue;
      const time = `${(this.#options.elapsedMs() / 1000).toFixed(1)}s`.padStart(6);
      this.#times.set(key, time);
      if (!this.#options.isTerminal) this.#options.write(`[demo] ${time}  ${renderStep(step)}\n`);
    }
    if (this.#options.isTerminal) this.#draw(steps);
  }

  #draw(steps: readonly Step[]): void {
    const lines = steps.map((step, i) => {
      const time = this.#times.get(`${i} ${step.name} ${step.state} ${step.text}`) ?? '      ';
      return `  ${time}  ${COLOURS[step.state]}${MARKS[step.state]} ${renderStep(step)}${RESET}`;
    });
    const picture = lines.map((line) => `\x1b[2K${line}\n`).join('');
    if (picture === this.#shown) return;
    this.#options.write((this.#height > 0 ? `\x1b[${this.#height}A\x1b[J` : '') + picture);
    this.#shown = picture;
    this.#height = lines.length;
  }
}

function renderStep({ name, state, text }: Step): string {
  const note = state === 'doing' && text === '' ? 'under way' : text;
  return `${name.padEnd(8)} ${note}`.trimEnd();
}
