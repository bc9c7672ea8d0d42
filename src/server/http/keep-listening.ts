/**
 * Keeps one listener open until the agent stops. An address that is taken is
 * tried again: the process before us may still be going, and a port that
 * cannot be had is no reason to end the agent.
 *
 *   starting ──accepts──► open ──stop──► closed
 *      ▲ └──fails──► waiting retryMs ─┐
 *      └──────────────────────────────┘
 *
 * Invariant: when it resolves, the listener is stopped and no timer is left.
 */
import { type Clock, sleep } from '../../base/clock.ts';
import { whenAborted } from '../../base/when-aborted.ts';
import type { HttpListener } from './http-listener.ts';

export interface KeepListeningSettings {
  /** One that was not started yet. */
  readonly listener: Pick<HttpListener, 'start' | 'stop'>;
  readonly retryMs: number;
  readonly clock: Clock;
  /** It accepts; a unix socket has port 0. */
  readonly onOpen?: ((port: number) => void) | undefined;
  /** It does not accept, and is tried again after `retryMs`. */
  readonly onUnavailable: (error: unknown) => void;
}

/** Never rejects because of the address; rejects when stopping the listener does. */
export async function keepListening(settings: KeepListeningSettings, stop: AbortSignal): Promise<void> {
  const { listener, retryMs, clock, onOpen, onUnavailable } = settings;
  while (!stop.aborted) {
    try {
      const port = await listener.start();
      onOpen?.(port);
    } catch (error) {
      onUnavailable(error);
      await sleep(clock, retryMs, stop);
      continue;
    }
    await whenAborted(stop);
  }
  await listener.stop();
}
