/**
 * Pages whose top is on its way to a browser that reports when it has drawn it: by asking for a picture that stands
 * there and is loaded only once it has a place on the screen. No script is needed for that.
 */
import { type Clock, sleep } from '../../base/async/clock.ts';
import { onAbort } from '../../base/async/on-abort.ts';

/** A browser that shows no pictures, or is far away or busy, waits no longer for the rest. */
const PATIENCE_MS = 250;

export class DrawnPages {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, AbortController>();
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many have not been drawn yet. */
  get size(): number {
    return this.#waiting.size;
  }

  /**
   * `name` is what the browser reports. `drawn` resolves then, after a while without, or when `signal` aborts; it never
   * rejects, and nothing is left of it.
   */
  expect(signal: AbortSignal): { readonly name: string; readonly drawn: Promise<void> } {
    const name = String(++this.#count);
    return { name, drawn: this.#wait(name, signal) };
  }

  /** An unknown name is one whose page waits no more. */
  report(name: string): void {
    this.#waiting.get(name)?.abort();
  }

  async #wait(name: string, signal: AbortSignal): Promise<void> {
    const enough = new AbortController();
    this.#waiting.set(name, enough);
    using _gone = onAbort(signal, () => enough.abort());
    await sleep(this.#clock, PATIENCE_MS, enough.signal);
    this.#waiting.delete(name);
  }
}
