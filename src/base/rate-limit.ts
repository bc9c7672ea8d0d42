/**
 * A token bucket: `perSecond` tokens flow in, at most `burst` are kept. A rate
 * of 0 means no limit. Asking never waits.
 */
import type { Clock } from './clock.ts';

export class RateLimit {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #filledAtMs: number;

  constructor(clock: Clock, perSecond: number, burst: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = Math.max(1, burst);
    this.#tokens = this.#burst;
    this.#filledAtMs = clock.now();
  }

  /** Takes a token if there is one. */
  tryTake(): boolean {
    if (this.#perSecond <= 0) return true;
    const nowMs = this.#clock.now();
    // A clock that was set back must not remove tokens.
    const flowed = (Math.max(0, nowMs - this.#filledAtMs) / 1000) * this.#perSecond;
    this.#tokens = Math.min(this.#burst, this.#tokens + flowed);
    this.#filledAtMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
