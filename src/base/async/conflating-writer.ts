/**
 * Writes something that changes often, one write at a time: what changes
 * while a write waits for its time or is under way goes into one further
 * write. The caller decides what is written, and where.
 *
 *   idle ──schedule──► waiting ──delay over, or writeNow──► writing ──► idle
 *                                         ▲                    │
 *                                         └── later ◄── failed ┘
 *
 * What was only scheduled and cannot be written, as on a full disk, is tried
 * again by and by until it is, without another change.
 *
 * Invariant: when `writeNow` resolves, a write that began after the call has
 * succeeded.
 */
import type { Clock } from './clock.ts';
import { computeRetryDelay } from './retry-delay.ts';

export interface ConflatingWriterParts {
  readonly clock: Clock;
  /** Writes the state of the moment it is called. */
  readonly write: () => Promise<void>;
  /** How long a change may wait for others to share its write; absent: it is written at once. */
  readonly delayMs?: () => number;
  /** A write that was only scheduled has failed, the first since one succeeded. */
  readonly onFailure: (error: unknown) => void;
}

/** Soon, for what passes by itself; seldom, for a disk that stays full. */
const RETRIES = { initialMs: 1_000, maxMs: 30_000 };

export class ConflatingWriter {
  readonly #parts: ConflatingWriterParts;
  #timer: Disposable | undefined;
  #retry: Disposable | undefined;
  /** Of scheduled writes, without a success between them. */
  #failures = 0;
  #writing: Promise<void> | undefined;
  #isDue = false;

  constructor(parts: ConflatingWriterParts) {
    this.#parts = parts;
  }

  /** Something has changed; returns at once. */
  schedule(): void {
    const { clock, delayMs } = this.#parts;
    if (delayMs === undefined) this.#writeUnattended();
    else this.#timer ??= clock.startTimer(delayMs(), () => this.#writeUnattended());
  }

  /** Writes without waiting for others. Rejects as the write does; the next call retries. */
  writeNow(): Promise<void> {
    const isPending = this.#timer !== undefined || this.#retry !== undefined;
    this.#stopTimers();
    this.#isDue = true;
    this.#writing ??= this.#writeWhileDue();
    // What was only scheduled is tried again, whatever the caller does about a failure.
    if (isPending) this.#writing.catch((error) => this.#noteFailure(error));
    return this.#writing;
  }

  /** Resolves when no write is under way any more, whether it succeeded or not. */
  async settled(): Promise<void> {
    await this.#writing?.catch(() => {});
  }

  /** Resolves when everything scheduled is written, or could not be written; then nothing is tried until the next change. */
  async flush(): Promise<void> {
    if (this.#timer !== undefined || this.#retry !== undefined) this.#writeUnattended();
    await this.settled();
    this.#stopTimers();
  }

  #stopTimers(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#retry?.[Symbol.dispose]();
    this.#retry = undefined;
  }

  #writeUnattended(): void {
    this.writeNow().catch((error) => this.#noteFailure(error));
  }

  #noteFailure(error: unknown): void {
    // Several changes may have shared the write.
    if (this.#retry !== undefined) return;
    if (this.#failures === 0) this.#parts.onFailure(error);
    const delayMs = computeRetryDelay(RETRIES, this.#failures++, 0);
    this.#retry = this.#parts.clock.startTimer(delayMs, () => this.#writeUnattended());
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
      this.#failures = 0;
      return undefined;
    } catch (error) {
      return { error };
    }
  }
}
