/**
 * Waits for an end that a signal announces. A listener alone would wait for
 * ever on a signal that aborted before.
 */
import { onAbort } from './on-abort.ts';

/** Resolves when `signal` aborts, at once when it has. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => void onAbort(signal, resolve));
}
