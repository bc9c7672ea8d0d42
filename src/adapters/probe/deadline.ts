/**
 * One signal for a call: aborted by the caller, by the time limit, or when
 * the call is over. Disposing it cancels the timer and whatever still hangs
 * on the signal, so no socket survives its call.
 */
import type { Clock } from '../../base/clock.ts';
import type { ProbeCallOptions } from '../../ports/probe-transport.ts';

export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** True once the time limit, and not the caller, ended the call. */
  readonly expired: boolean;
}

export function startDeadline(clock: Clock, { signal, timeoutMs }: ProbeCallOptions): Deadline {
  const end = new AbortController();
  const state = { expired: false };
  const expire = (): void => {
    state.expired = !signal.aborted;
    end.abort();
  };
  const timer = timeoutMs === undefined ? undefined : clock.startTimer(timeoutMs, expire);
  return {
    signal: AbortSignal.any([signal, end.signal]),
    get expired() {
      return state.expired;
    },
    [Symbol.dispose]: () => {
      timer?.[Symbol.dispose]();
      end.abort();
    },
  };
}
