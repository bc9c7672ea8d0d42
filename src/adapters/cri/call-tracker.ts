/**
 * Knows which calls are under way, so that a hanging one can be named, and
 * notifies an observer when calls start and end, for metrics.
 */
import type { Clock } from '../../base/async/clock.ts';

export interface InFlightCall {
  /** The `operation_type` of metrics, such as `run_podsandbox`. */
  readonly operation: string;
  /** What the call is for: the caller's label, else the id or name in the request. */
  readonly detail: string;
  readonly startedAtMs: number;
}

export interface CallObserver {
  started?(call: InFlightCall): void;
  /** `error` is absent when the call succeeded. */
  ended?(call: InFlightCall, durationMs: number, error?: unknown): void;
}

export class CallTracker {
  readonly #clock: Clock;
  readonly #observer: CallObserver;
  readonly #calls = new Set<InFlightCall>();

  constructor(clock: Clock, observer: CallObserver) {
    this.#clock = clock;
    this.#observer = observer;
  }

  /** The calls under way, oldest first. */
  inFlight(): readonly InFlightCall[] {
    return [...this.#calls];
  }

  /** Runs `work` as a call under way. */
  async track<T>(operation: string, detail: string, work: () => Promise<T>): Promise<T> {
    const call: InFlightCall = { operation, detail, startedAtMs: this.#clock.steady() };
    this.#calls.add(call);
    this.#observer.started?.(call);
    try {
      const result = await work();
      this.#end(call);
      return result;
    } catch (error) {
      this.#end(call, error);
      throw error;
    }
  }

  #end(call: InFlightCall, error?: unknown): void {
    this.#calls.delete(call);
    this.#observer.ended?.(call, this.#clock.steady() - call.startedAtMs, error);
  }
}
