/**
 * The clock of the machine: wall time, steady time and Node's timers.
 * Everything that waits in production waits here; tests use virtual time
 * instead.
 *
 * A machine's clock may be set. Steady time does not notice. Wall time follows
 * at once when it is set ahead. Set back, it goes on from where it was, a
 * hundredth slower, until the machine's clock has caught up: back-offs and
 * deadlines that are stored as wall times are no longer for it.
 *
 * Invariants: neither time goes back; timers keep the process alive, and the
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

  steady(): number {
    return Math.floor(this.#sources.steady());
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
