/**
 * How often tokens may be reviewed: reviews are requests of the agent to the
 * API server that any host on the network can cause. One peer has a rate of
 * its own below that of all, so that its made-up tokens leave others theirs.
 */
import type { Clock } from '../../base/async/clock.ts';
import { TokenBucket } from '../../base/async/token-bucket.ts';

export interface ReviewRateLimits {
  readonly perSecond: number;
  readonly burst: number;
  readonly peerPerSecond: number;
  readonly peerBurst: number;
}

const REVIEW_RATES: ReviewRateLimits = { perSecond: 20, burst: 100, peerPerSecond: 5, peerBurst: 25 };

const MAX_PEERS = 1024;

export class ReviewRates {
  readonly #clock: Clock;
  readonly #limits: ReviewRateLimits;
  readonly #all: TokenBucket;
  /** In order of use; who was not seen for longest is forgotten first. */
  readonly #peers = new Map<string, TokenBucket>();

  constructor(clock: Clock, limits: ReviewRateLimits = REVIEW_RATES) {
    this.#clock = clock;
    this.#limits = limits;
    this.#all = new TokenBucket(limits, clock.steady());
  }

  /** False when this peer, or all of them, have asked too often. A peer over its own rate costs others nothing. */
  tryTake(peer: string): boolean {
    const { peerPerSecond, peerBurst } = this.#limits;
    const nowMs = this.#clock.steady();
    const rate = { perSecond: peerPerSecond, burst: peerBurst };
    const own = this.#peers.get(peer) ?? new TokenBucket(rate, nowMs);
    this.#peers.delete(peer);
    this.#peers.set(peer, own);
    for (const oldest of this.#peers.keys()) {
      if (this.#peers.size <= MAX_PEERS) break;
      this.#peers.delete(oldest);
    }
    return own.tryTake(nowMs) && this.#all.tryTake(nowMs);
  }
}
