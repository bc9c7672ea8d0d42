/**
 * Waits for a signal to abort. A listener alone would wait forever on a
 * signal that has already aborted.
 */
import { onAbort } from './on-abort.ts';

/** Resolves when `signal` aborts, at once when it has. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => void onAbort(signal, resolve));
}
