/**
 * Stops waiting for a promise when a signal aborts. The work behind the
 * promise continues: its starter ends it, or lets it run.
 *
 * Invariants: a signal that has aborted wins over a promise that has settled;
 * no listener outlives the wait; a failure that comes after the abort is not
 * reported as unhandled.
 */
import { onAbort } from './on-abort.ts';

/** Settles as `work` does, or rejects with `signal.reason` as soon as it aborts. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return race(work, signal, (_resolve, reject) => reject(signal.reason));
}

/** Settles as `work` does, or resolves to undefined as soon as `signal` aborts. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  return signal === undefined ? work : race<T | undefined>(work, signal, (resolve) => resolve(undefined));
}

function race<T>(
  work: Promise<T>,
  signal: AbortSignal,
  leave: (resolve: (value: T) => void, reject: (error: unknown) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const listening = onAbort(signal, () => leave(resolve, reject));
    work.then(
      (value) => {
        listening[Symbol.dispose]();
        resolve(value);
      },
      (error: unknown) => {
        listening[Symbol.dispose]();
        reject(error);
      },
    );
  });
}
