/**
 * Makes the next shutdown wait for pods: a delay that is long enough, as far
 * as the machine grants it, and the lock.
 */
import { type Clock, sleep } from '../../base/async/clock.ts';
import { errorText } from '../../base/errors.ts';
import { renderGoDuration } from '../../base/text/go-duration.ts';
import type { HostShutdownLink } from '../../ports/host/host-shutdown.ts';

/** The machine takes a new delay over a while after it was asked to. */
const ATTEMPTS = 5;
const FIRST_WAIT_MS = 100;

/**
 * Resolves, with the lock held, to why the time will be too short, or to
 * undefined. Rejects with AgentError when there is no lock.
 */
export async function guardShutdown(
  clock: Clock,
  link: HostShutdownLink,
  seconds: number,
  stop: AbortSignal,
): Promise<string | undefined> {
  const shortness = await raiseDelay(clock, link, seconds, stop);
  await link.takeLock(stop);
  return shortness;
}

async function raiseDelay(
  clock: Clock,
  link: HostShutdownLink,
  seconds: number,
  stop: AbortSignal,
): Promise<string | undefined> {
  let delayMs = await link.readDelayMs(stop);
  if (delayMs >= seconds * 1000) return undefined;
  try {
    await link.raiseDelay(seconds, stop);
  } catch (error) {
    if (stop.aborted) throw error;
    return `unable to override inhibit delay by shutdown manager: ${errorText(error)}`;
  }
  for (let attempt = 1; !stop.aborted; attempt++) {
    delayMs = await link.readDelayMs(stop);
    if (delayMs >= seconds * 1000) return undefined;
    if (attempt === ATTEMPTS) break;
    await sleep(clock, FIRST_WAIT_MS * 2 ** (attempt - 1), stop);
  }
  const [wanted, current] = [renderGoDuration(seconds * 1000), renderGoDuration(delayMs)];
  return `node shutdown manager was timed out after ${ATTEMPTS} attempts waiting for logind InhibitDelayMaxSec to update to ${wanted} (ShutdownGracePeriod), current value is ${current}`;
}
