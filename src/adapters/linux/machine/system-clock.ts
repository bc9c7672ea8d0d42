/**
 * The clock of the machine: wall time and Node's timers. Everything that
 * waits in production waits here; tests use virtual time instead.
 *
 * Invariant: timers keep the process alive; the agent ends by disposing them.
 */
import type { Clock } from '../../../base/clock.ts';

/** Node fires a longer timer at once, so longer waits are made of several. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class SystemClock implements Clock {
  now(): number {
    return Date.now();
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
