/**
 * One reading for all who ask: the last one serves every caller that accepts
 * its age, and at most one is made at a time. Nothing is read while no caller
 * asks.
 *
 *   last is young enough ──► that one
 *   one is being made    ──► wait for it; if it is too old, make another
 *   else                 ──► make one
 */
import { orAborted } from '../../base/async/abortable.ts';
import type { Clock } from '../../base/async/clock.ts';
import { AgentError } from '../../base/errors.ts';
import type { StatisticsRequest } from '../../ports/host/node-statistics.ts';

export interface DatedReading {
  /** When it was begun. */
  readonly atMs: number;
}

export class SharedReading<T extends DatedReading> {
  readonly #clock: Clock;
  readonly #make: () => Promise<T>;
  #last: T | undefined;
  #underWay: { readonly startedAtMs: number; readonly reading: Promise<T> } | undefined;

  constructor(clock: Clock, make: () => Promise<T>) {
    this.#clock = clock;
    this.#make = make;
  }

  /** The last reading if it is at most that old. */
  peek(maxAgeMs: number): T | undefined {
    const last = this.#last;
    const ageMs = last === undefined ? undefined : this.#clock.now() - last.atMs;
    // A clock that was set back makes a reading of the future, of which the age is not known.
    return ageMs !== undefined && ageMs >= 0 && ageMs <= maxAgeMs ? last : undefined;
  }

  /** Settles as the reading does; rejects with `cancelled` when `signal` aborts first. */
  async read({ maxAgeMs, signal }: StatisticsRequest): Promise<T> {
    const oldestMs = this.#clock.now() - maxAgeMs;
    for (;;) {
      const known = this.peek(maxAgeMs);
      if (known !== undefined) return known;
      const flight = this.#underWay ?? this.#start();
      const reading = await orAborted(flight.reading, signal);
      if (reading === undefined) throw new AgentError('cancelled', 'cannot read statistics: cancelled');
      if (flight.startedAtMs >= oldestMs) return reading;
    }
  }

  #start(): { readonly startedAtMs: number; readonly reading: Promise<T> } {
    const reading = this.#run();
    // Callers that wait get the failure; one that left does not.
    reading.catch(() => {});
    const flight = { startedAtMs: this.#clock.now(), reading };
    this.#underWay = flight;
    return flight;
  }

  async #run(): Promise<T> {
    try {
      this.#last = await this.#make();
      return this.#last;
    } finally {
      this.#underWay = undefined;
    }
  }
}
