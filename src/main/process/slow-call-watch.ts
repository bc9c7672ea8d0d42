/**
 * Names runtime calls that hang: one log line when a call has taken too long,
 * one when it ends after all, and a list for the health output. Calls that
 * may rightly take long (pulls, stops, commands, the event stream) are left
 * out.
 */
import type { CallObserver, InFlightCall } from '../../adapters/cri/call-tracker.ts';
import type { Clock } from '../../base/async/clock.ts';
import { SharedTimer } from '../../base/async/shared-timer.ts';
import { errorText } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';

const SLOW_AFTER_MS = 10_000;

const MAY_TAKE_LONG: ReadonlySet<string> = new Set([
  'pull_image',
  'stop_container',
  'exec_sync',
  'get_container_events',
  'checkpoint_container',
]);

export class SlowCallWatch implements CallObserver {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #patience: SharedTimer;
  readonly #timers = new Map<InFlightCall, Disposable>();
  readonly #slow = new Set<InFlightCall>();

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#patience = new SharedTimer(clock, SLOW_AFTER_MS);
    this.#logger = logger;
  }

  /** One sentence per call that hangs now; undefined when none does. */
  describe(): string | undefined {
    if (this.#slow.size === 0) return undefined;
    const nowMs = this.#clock.steady();
    return [...this.#slow]
      .map(({ operation, detail, startedAtMs }) => {
        const seconds = Math.round((nowMs - startedAtMs) / 1000);
        return `runtime call ${operation} for ${detail} has not answered for ${seconds}s`;
      })
      .join('; ');
  }

  started(call: InFlightCall): void {
    if (MAY_TAKE_LONG.has(call.operation)) return;
    const timer = this.#patience.start(() => {
      this.#slow.add(call);
      this.#logger.warn('runtime call hangs', {
        call: call.operation,
        pod: call.detail,
        afterMs: SLOW_AFTER_MS,
      });
    });
    this.#timers.set(call, timer);
  }

  ended(call: InFlightCall, durationMs: number, error?: unknown): void {
    this.#timers.get(call)?.[Symbol.dispose]();
    this.#timers.delete(call);
    if (!this.#slow.delete(call)) return;
    const fields = { call: call.operation, pod: call.detail, durationMs: Math.round(durationMs) };
    this.#logger.info(
      'runtime call that hung has ended',
      error === undefined ? fields : { ...fields, err: errorText(error) },
    );
  }
}
