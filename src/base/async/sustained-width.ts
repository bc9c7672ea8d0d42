/**
 * How many pieces of work at once something else sustains, found out while
 * work waits: one more is tried for a while and stays if as much more gets done
 * as it ought to; one less is tried too, and stays if as much gets done.
 *
 * ```text
 *            after `patience` rounds                 worth it: width is the new one, patience is short again
 *  holding ───────────────────────────► trying ────► else: width is the old one, patience doubles
 *     ▲        width ±1, in turns                          │
 *     └────────────────────────────────────────────────────┘
 * ```
 * A round is long enough to compare. What was measured is dropped when nothing
 * waits any more; the width that was found is kept.
 */

import type { GateWidth } from './gate.ts';

export interface WidthBounds {
  readonly least: number;
  readonly most: number;
}

/** Ends of work in a round, for each place. */
const ROUND_PER_PLACE = 3;
const SHORT_PATIENCE = 1;
const LONGEST_PATIENCE = 16;

export class SustainedWidth implements GateWidth {
  readonly #bounds: WidthBounds;
  #width: number;
  /** Before the trial that is under way. */
  #held: { readonly width: number; readonly perMs: number } | undefined;
  #triesWider = true;
  #patience = SHORT_PATIENCE;
  #rounds = 0;
  #round: { readonly beganAtMs: number; ended: number } | undefined;
  /** Ends to come of what began before the width changed. */
  #stale = 0;

  /** Throws unless the bounds are whole numbers, and the least is above zero. */
  constructor(bounds: WidthBounds) {
    const { least, most } = bounds;
    if (!Number.isInteger(least) || !Number.isInteger(most) || least < 1 || most < least)
      throw new Error(`a gate cannot be ${least} to ${most} wide`);
    this.#bounds = bounds;
    this.#width = least;
  }

  get value(): number {
    return this.#width;
  }

  note(nowMs: number): void {
    if (this.#stale > 0) {
      this.#stale--;
      return;
    }
    if (this.#round === undefined) {
      this.#round = { beganAtMs: nowMs, ended: 0 };
      return;
    }
    if (++this.#round.ended < ROUND_PER_PLACE * this.#width) return;
    const { beganAtMs, ended } = this.#round;
    this.#round = undefined;
    if (nowMs > beganAtMs) this.#judge(ended / (nowMs - beganAtMs));
  }

  rest(): void {
    this.#round = undefined;
    if (this.#held !== undefined) this.#set(this.#held.width);
    this.#held = undefined;
    // What comes next begins with this width.
    this.#stale = 0;
  }

  #judge(perMs: number): void {
    if (this.#held === undefined) {
      if (++this.#rounds >= this.#patience) this.#try(perMs);
      return;
    }
    const { width, perMs: before } = this.#held;
    this.#held = undefined;
    this.#rounds = 0;
    // Half of what a place more would do if all of them could work without waiting for each other.
    const isWorth = perMs >= before * (this.#width > width ? 1 + 1 / (2 * width) : 1 - 1 / (4 * width));
    this.#patience = isWorth ? SHORT_PATIENCE : Math.min(LONGEST_PATIENCE, this.#patience * 2);
    if (isWorth) return;
    this.#triesWider = !this.#triesWider;
    this.#set(width);
  }

  #try(perMs: number): void {
    const { least, most } = this.#bounds;
    const canNarrow = this.#width > least;
    const canWiden = this.#width < most;
    if (!canNarrow && !canWiden) return;
    const isWider = canWiden && (this.#triesWider || !canNarrow);
    this.#held = { width: this.#width, perMs };
    this.#set(this.#width + (isWider ? 1 : -1));
  }

  #set(width: number): void {
    if (width === this.#width) return;
    this.#stale = Math.max(width, this.#width);
    this.#width = width;
  }
}
