/**
 * Time as a port: everything that waits or reads the time is given a Clock,
 * so that tests run on virtual time. Wall time is milliseconds since the
 * epoch; deadlines are wall times.
 */
import { onAbort } from './on-abort.ts';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Calls `run` once after `delayMs`, never before startTimer returned; a
   * negative delay counts as 0, an infinite one never ends. Disposing the
   * result cancels; after `run` it does nothing.
   */
  startTimer(delayMs: number, run: () => void): Disposable;
}

/**
 * Resolves after `delayMs`, or at once when `signal` aborts; the caller checks
 * the signal to learn which. Never rejects: being stopped is not an error.
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      timer[Symbol.dispose]();
      listening[Symbol.dispose]();
      resolve();
    };
    const timer = clock.startTimer(delayMs, end);
    const listening = onAbort(signal, end);
  });
}
