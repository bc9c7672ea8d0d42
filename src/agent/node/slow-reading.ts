/**
 * Something that is read now and then and may take its time: the last answer
 * is kept, and whoever asks waits for a new one only so long. A reading that
 * hangs costs its own freshness and nothing else.
 *
 * Invariant: at most one reading is under way.
 */
import type { Clock } from '../../base/clock.ts';
import { onAbort } from '../../base/on-abort.ts';

export interface SlowReadingSettings<T> {
  readonly clock: Clock;
  /** Read again when the last reading began longer ago. */
  readonly maxAgeMs: number;
  /** How long anybody waits for a reading. */
  readonly patienceMs: number;
  readonly read: (stop: AbortSignal) => Promise<T>;
  /** A reading failed: the last answer stays. */
  readonly onError: (error: unknown) => void;
}

export class SlowReading<T> {
  readonly #settings: SlowReadingSettings<T>;
  #last: T | undefined;
  #startedAtMs = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;

  constructor(settings: SlowReadingSettings<T>) {
    this.#settings = settings;
  }

  /** The newest answer there is when it is fresh, or when patience or `stop` ends; undefined when there is none. */
  async get(stop: AbortSignal): Promise<T | undefined> {
    const { clock, maxAgeMs, patienceMs } = this.#settings;
    if (this.#running === undefined && clock.now() - this.#startedAtMs >= maxAgeMs) this.#start(stop);
    const patienceLeftMs = this.#startedAtMs + patienceMs - clock.now();
    if (this.#running !== undefined && patienceLeftMs > 0)
      await this.#wait(this.#running, patienceLeftMs, stop);
    return this.#last;
  }

  #start(stop: AbortSignal): void {
    this.#startedAtMs = this.#settings.clock.now();
    this.#running = this.#read(stop).finally(() => {
      this.#running = undefined;
    });
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
