/**
 * Waits for the end of something that is told by a signal. A listener alone
 * would wait for ever on a signal that aborted before.
 */

/** Resolves when `signal` aborts, at once when it has. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
