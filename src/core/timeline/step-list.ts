/** The steps that are kept of one pod: the first ones and the last ones, oldest first. */
import { FIRST_STEPS, LAST_STEPS, type TimelineStep } from './timeline-step.ts';

type Writable = { -readonly [K in keyof TimelineStep]: TimelineStep[K] };

export class StepList {
  readonly #first: Writable[] = [];
  readonly #last: Writable[] = [];
  #leftOut = 0;

  /** How many were dropped between the first and the last. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** In the order of their starts. */
  list(): TimelineStep[] {
    return [...this.#first, ...this.#last].map((step) => ({ ...step })).sort((a, b) => a.startMs - b.startMs);
  }

  mark(step: TimelineStep): void {
    this.#add({ ...step });
  }

  /** A step that is under way; the same after failures of its own is another try. */
  begin(what: string, about: string | undefined, startMs: number): OpenStep {
    const same = this.#lastFailureOf(what, about);
    const step: Writable = same ?? { what, startMs };
    if (about !== undefined) step.about = about;
    if (same === undefined) this.#add(step);
    else {
      step.tries = (same.tries ?? 1) + 1;
      delete step.endMs;
    }
    return {
      restartAt: (atMs) => {
        if (same === undefined) step.startMs = atMs;
      },
      end: (endMs, problem) => {
        step.endMs = endMs;
        if (problem === undefined) delete step.problem;
        else step.problem = problem;
      },
    };
  }

  /** The newest of its kind, when it failed. */
  #lastFailureOf(what: string, about: string | undefined): Writable | undefined {
    const recent = this.#last.length > 0 ? this.#last : this.#first;
    const newest = recent.findLast((step) => step.what === what && step.about === about);
    return newest?.problem === undefined ? undefined : newest;
  }

  #add(step: Writable): void {
    if (this.#first.length < FIRST_STEPS) this.#first.push(step);
    else this.#last.push(step);
    if (this.#last.length <= LAST_STEPS) return;
    this.#last.shift();
    this.#leftOut++;
  }
}

export interface OpenStep {
  /** What came before, such as a pull, is a step of its own. */
  restartAt(atMs: number): void;
  end(endMs: number, problem?: string): void;
}
