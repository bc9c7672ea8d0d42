/**
 * One call at a time for all callers that want the same: later ones wait for
 * the result of the call under way. A caller whose signal aborts leaves; the
 * call goes on, because others may wait for it, and ends by its own limit.
 *
 * Invariants: at most one call per key is under way; a result is not kept; a
 * failure that no caller waits for any more is not reported as unhandled.
 */
import { orAborted } from './abortable.ts';

export class SingleFlight<V> {
  readonly #flights = new Map<string, Promise<V>>();

  /** The result of the call under way, if there is one. */
  underWay(key: string): Promise<V> | undefined {
    return this.#flights.get(key);
  }

  /** Joins the call under way or makes one. Settles as `call` does; resolves to undefined when `signal` aborts first. */
  run(key: string, call: () => Promise<V>): Promise<V>;
  run(key: string, call: () => Promise<V>, signal: AbortSignal | undefined): Promise<V | undefined>;
  async run(key: string, call: () => Promise<V>, signal?: AbortSignal): Promise<V | undefined> {
    if (signal?.aborted) return undefined;
    return orAborted(this.#flights.get(key) ?? this.#start(key, call), signal);
  }

  #start(key: string, call: () => Promise<V>): Promise<V> {
    const flight = call().finally(() => this.#flights.delete(key));
    // A caller that left does not get the failure; those that wait do.
    flight.catch(() => {});
    this.#flights.set(key, flight);
    return flight;
  }
}
