/**
 * A token bucket: `perSecond` tokens flow in, at most `burst` are kept, and it
 * starts full. Times come in with the calls, so that pure rules can use it.
 *
 * Invariants: never more than `burst` plus what flowed in; a clock that was
 * set back neither removes tokens nor freezes the bucket. The rate is read with
 * each call, so that it may change while the bucket is in use.
 */

export interface TokenRate {
  /** 0 or less means no limit. */
  readonly perSecond: number;
  /** Less than 1 counts as 1. */
  readonly burst: number;
}

export class TokenBucket {
  readonly #rate: TokenRate;
  #tokens: number;
  #filledAtMs: number;

  constructor(rate: TokenRate, nowMs: number) {
    this.#rate = rate;
    this.#tokens = this.#burst;
    this.#filledAtMs = nowMs;
  }

  get #burst(): number {
    return Math.max(1, this.#rate.burst);
  }

  /** Takes a token if there is one. */
  tryTake(nowMs: number): boolean {
    if (this.#rate.perSecond <= 0) return true;
    this.#fill(nowMs);
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  /** How long until there is a token; 0 when there is one. */
  msUntilNext(nowMs: number): number {
    if (this.#rate.perSecond <= 0) return 0;
    this.#fill(nowMs);
    return this.#tokens >= 1 ? 0 : ((1 - this.#tokens) / this.#rate.perSecond) * 1000;
  }

  #fill(nowMs: number): void {
    const flowed = (Math.max(0, nowMs - this.#filledAtMs) / 1000) * this.#rate.perSecond;
    this.#tokens = Math.min(this.#burst, this.#tokens + flowed);
    this.#filledAtMs = nowMs;
  }
}
