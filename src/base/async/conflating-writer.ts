/**
 * Writes something that changes often, one write at a time: what changes
 * while a write waits for its time or is under way goes into one further
 * write. The caller decides what is written, and where.
 *
 *   idle ──schedule──► waiting ──delay over, or writeNow──► writing ──► idle
 *
 * Invariant: when `writeNow` resolves, a write that began after the call has
 * succeeded.
 */
import type { Clock } from './clock.ts';

export interface ConflatingWriterParts {
  /** Writes the state of the moment it is called. */
  readonly write: () => Promise<void>;
  /** How long a change may wait for others to share its write; absent: it is written at once. */
  readonly delay?: { readonly clock: Clock; readonly delayMs: () => number };
  /** A write that was only scheduled has failed; the next change retries. */
  readonly onFailure: (error: unknown) => void;
}

export class ConflatingWriter {
  readonly #parts: ConflatingWriterParts;
  #timer: Disposable | undefined;
  #writing: Promise<void> | undefined;
  #isDue = false;

  constructor(parts: ConflatingWriterParts) {
    this.#parts = parts;
  }

  /** Something has changed; returns at once. */
  schedule(): void {
    const { delay } = this.#parts;
    if (delay === undefined) this.#writeUnattended();
    else this.#timer ??= delay.clock.startTimer(delay.delayMs(), () => this.#writeUnattended());
  }

  /** Writes without waiting for others. Rejects as the write does; the next call retries. */
  writeNow(): Promise<void> {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#isDue = true;
    this.#writing ??= this.#writeWhileDue();
    return this.#writing;
  }

  /** Resolves when everything scheduled is written, or could not be written. */
  async flush(): Promise<void> {
    if (this.#timer !== undefined) this.#writeUnattended();
    await this.#writing?.catch(() => {});
  }

  #writeUnattended(): void {
    // The caller that began a run of writes gets its failure.
    const onFailure = this.#writing === undefined ? this.#parts.onFailure : () => {};
    this.writeNow().catch(onFailure);
  }

  /** What a failed write was to save, a later one of the run saves. */
  async #writeWhileDue(): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    while (this.#isDue) {
      this.#isDue = false;
      failure = await this.#attempt();
    }
    // Here and not in a reaction to the promise: what changes in between would wait for a write that is over.
    this.#writing = undefined;
    if (failure !== undefined) throw failure.error;
  }

  async #attempt(): Promise<{ readonly error: unknown } | undefined> {
    try {
      await this.#parts.write();
      return undefined;
    } catch (error) {
      return { error };
    }
  }
}
