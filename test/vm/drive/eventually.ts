import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_MS = 1_000;

/**
 * Polls until `probe` answers with something; fails naming `what`, at once when there is no more hope for it. Errors
 * count as not yet.
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  deadlineMs: number,
  isHopeless: () => boolean = () => false,
): Promise<T> {
  const until = performance.now() + deadlineMs;
  let trouble = '';
  while (performance.now() < until) {
    try {
      const answer = await probe();
      if (answer !== undefined && answer !== false) return answer;
      trouble = '';
    } catch (error) {
      trouble = `: ${error instanceof Error ? error.message : error}`;
    }
    if (isHopeless()) return assert.fail(`there will be no ${what}${trouble}`);
    await delay(LOOK_MS);
  }
  return assert.fail(`timed out after ${deadlineMs} ms waiting for ${what}${trouble}`);
}
