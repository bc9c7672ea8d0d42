/** Retries a review when the API server could not be reached; the caller is waiting, so only a few times. */
import { type Clock, sleep } from '../../base/clock.ts';
import { AgentError } from '../../base/errors.ts';

const TRIES = 5;
const FIRST_MS = 500;
const FACTOR = 1.5;
const JITTER = 0.2;

/** Rejects with the last failure; at once when it is not retryable or `signal` aborts. */
export async function askAgain<T>(
  ask: () => Promise<T>,
  { clock, random, signal }: { clock: Clock; random: () => number; signal: AbortSignal },
): Promise<T> {
  for (let attempt = 1, delayMs = FIRST_MS; ; attempt++, delayMs *= FACTOR) {
    try {
      return await ask();
    } catch (error) {
      const retryable = error instanceof AgentError && error.retryable;
      if (!retryable || attempt === TRIES || signal.aborted) throw error;
      await sleep(clock, delayMs * (1 + JITTER * random()), signal);
      if (signal.aborted) throw error;
    }
  }
}
