/**
 * Keeps one listener open until the agent stops. An address that is taken is
 * tried again, later and later: the process before us may still be going, and
 * a server that only looks at the agent is no reason to end it.
 *
 *   starting ──accepts──► open ──stop──► closed
 *      ▲ └──fails──► waiting ─┐
 *      └──────────────────────┘
 *
 * Invariants: when it resolves, the listener is stopped and no timer is left;
 * each reason for not accepting is reported once.
 */
import { type Clock, sleep } from '../../base/async/clock.ts';
import { computeRetryDelay } from '../../base/async/retry-delay.ts';
import { whenAborted } from '../../base/async/when-aborted.ts';
import { errorText } from '../../base/errors.ts';
import type { HttpListener } from './http-listener.ts';

const LONGEST_RETRY_MS = 60_000;

export interface KeepListeningSettings {
  /** One that was not started yet. */
  readonly listener: Pick<HttpListener, 'start' | 'stop'>;
  /** Before the first retry; doubles up to a minute. */
  readonly retryMs: number;
  readonly clock: Clock;
  /** It accepts; a unix socket has port 0. */
  readonly onOpen?: ((port: number) => void) | undefined;
  /** It does not accept for a reason that was not reported yet, and is tried again. */
  readonly onUnavailable: (error: unknown) => void | Promise<void>;
}

/** Never rejects because of the address; rejects when stopping the listener does. */
export async function keepListening(settings: KeepListeningSettings, stop: AbortSignal): Promise<void> {
  const { listener, retryMs, clock, onOpen, onUnavailable } = settings;
  const retry = { initialMs: retryMs, maxMs: Math.max(retryMs, LONGEST_RETRY_MS) };
  let reported = '';
  for (let failures = 0; !stop.aborted; failures++) {
    try {
      const port = await listener.start();
      onOpen?.(port);
    } catch (error) {
      if (errorText(error) !== reported) await onUnavailable(error);
      reported = errorText(error);
      await sleep(clock, computeRetryDelay(retry, failures, 0), stop);
      continue;
    }
    await whenAborted(stop);
  }
  await listener.stop();
}
