/**
 * The clock of the machine: wall time and Node's timers. Everything that
 * waits in production waits here; tests use virtual time instead.
 *
 * Deadlines are wall times, and a machine's clock may be set. Set ahead, it is
 * followed at once. Set back, time goes on from where it was, a hundredth
 * slower, until the wall clock has caught up: no grace, back-off or probe is
 * longer for it.
 *
 * Invariants: time never goes back; timers keep the process alive, and the
 * agent ends by disposing them.
 */
import { performance } from 'node:perf_hooks';
import type { Clock } from '../../../base/async/clock.ts';

/** Node fires a longer timer at once, so longer waits are made of several. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How fast time goes while the wall clock is behind. */
const SLOWED = 0.99;

/** Milliseconds; only the wall clock can be set. */
export interface TimeSources {
  readonly wall: () => number;
  readonly steady: () => number;
}

const MACHINE: TimeSources = { wall: () => Date.now(), steady: () => performance.now() };

export class SystemClock implements Clock {
  readonly #sources: TimeSources;
  #nowMs = 0;
  #steadyMs = 0;

  constructor(sources: TimeSources = MACHINE) {
    this.#sources = sources;
  }

  now(): number {
    const { wall, steady } = this.#sources;
    const steadyMs = steady();
    const passedMs = steadyMs - this.#steadyMs;
    this.#steadyMs = steadyMs;
    this.#nowMs = Math.max(wall(), this.#nowMs + passedMs * SLOWED);
    return Math.floor(this.#nowMs);
  }

  startTimer(delayMs: number, run: () => void): Disposable {
    if (Number.isNaN(delayMs)) throw new Error('a timer needs a delay');
    // Rounded up: Node cuts fractions off, and a deadline must not end early.
    let remainingMs = Math.ceil(Math.max(0, delayMs));
    let timer: NodeJS.Timeout;
    const startNext = (): void => {
      const partMs = Math.min(remainingMs, LONGEST_TIMER_MS);
      remainingMs -= partMs;
      timer = setTimeout(remainingMs > 0 ? startNext : run, partMs);
    };
    startNext();
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  }
}
