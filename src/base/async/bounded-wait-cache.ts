/**
 * Something that is read now and then and may take its time: the last answer
 * is kept, and a caller waits for a new one only so long. A reading that
 * hangs costs its own freshness and nothing else.
 *
 * Invariant: at most one reading is under way.
 */
import type { Clock } from './clock.ts';
import { onAbort } from './on-abort.ts';
import { SingleFlight } from './single-flight.ts';

export interface BoundedWaitCacheSettings<T> {
  readonly clock: Clock;
  /** Read again when the last reading began longer ago. */
  readonly maxAgeMs: number;
  /** The longest that a caller waits for a reading. */
  readonly patienceMs: number;
  readonly read: (stop: AbortSignal) => Promise<T>;
  /** A reading failed: the last answer stays. */
  readonly onError: (error: unknown) => void;
}

/** There is one thing to read. */
const ONLY = '';

export class BoundedWaitCache<T> {
  readonly #settings: BoundedWaitCacheSettings<T>;
  #last: T | undefined;
  #startedAtMs = Number.NEGATIVE_INFINITY;
  readonly #readings = new SingleFlight<void>();

  constructor(settings: BoundedWaitCacheSettings<T>) {
    this.#settings = settings;
  }

  /** The newest answer there is when it is fresh, or when patience or `stop` ends; undefined when there is none. */
  async get(stop: AbortSignal): Promise<T | undefined> {
    const { clock, maxAgeMs, patienceMs } = this.#settings;
    const isOld = clock.steady() - this.#startedAtMs >= maxAgeMs;
    const running = this.#readings.underWay(ONLY) ?? (isOld ? this.#start(stop) : undefined);
    const patienceLeftMs = this.#startedAtMs + patienceMs - clock.steady();
    if (running !== undefined && patienceLeftMs > 0) await this.#wait(running, patienceLeftMs, stop);
    return this.#last;
  }

  #start(stop: AbortSignal): Promise<void> {
    this.#startedAtMs = this.#settings.clock.steady();
    return this.#readings.run(ONLY, () => this.#read(stop));
  }

  async #read(stop: AbortSignal): Promise<void> {
    try {
      this.#last = await this.#settings.read(stop);
    } catch (error) {
      if (!stop.aborted) this.#settings.onError(error);
    }
  }

  async #wait(running: Promise<void>, limitMs: number, stop: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    using _timer = this.#settings.clock.startTimer(limitMs, resolve);
    using _listening = onAbort(stop, resolve);
    void running.then(resolve);
    await promise;
  }
}
