/**
 * Randomness that a seed repeats exactly (mulberry32). Every fake draws from
 * its own fork, so that one more draw in one fake does not shift all others.
 */

export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number in [0, below). */
  int(below: number): number {
    return Math.floor(this.next() * below);
  }

  /** True with the given probability; 0 never, 1 always. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of `items`; throws when there is none. */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error('cannot pick from an empty list');
    return items[this.int(items.length)] as T;
  }

  /** `digits` hexadecimal digits. */
  hex(digits: number): string {
    let text = '';
    while (text.length < digits) text += this.int(16).toString(16);
    return text;
  }

  /** An independent generator, decided by this one's seed and the label only if forked at the same point. */
  fork(label: string): SeededRandom {
    let seed = this.int(4_294_967_296);
    for (const char of label) seed = Math.imul(seed ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
    return new SeededRandom(seed);
  }
}
