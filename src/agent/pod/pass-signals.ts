/**
 * The signals of one pass of a worker. An interruption ends waits at once
 * (a pull, a hook, a place in the gate), but a short runtime call that has
 * begun gets a moment to end by itself: what the runtime did is then seen and
 * undone by us, instead of by the runtime behind our back after we have
 * already said that the pod is gone. A stop of the agent ends both at once.
 */
import type { Clock } from '../../base/async/clock.ts';
import { onAbort } from '../../base/async/on-abort.ts';

/** Makes of a sandbox or a start take a fraction of this; what takes longer hangs or is very slow. */
const PATIENCE_MS = 2_000;

/** One for all: an error per pass would be garbage, nothing reads its trace. */
const PASS_OVER = new Error('the pass is over');

export class PassSignals implements Disposable {
  /** Aborts when the pass is interrupted or the agent stops. */
  readonly signal: AbortSignal;
  /** Aborts a moment after `signal`, or with the agent: for calls that are better ended than cancelled. */
  readonly callSignal: AbortSignal;
  readonly #clock: Clock;
  readonly #soft = new AbortController();
  readonly #hard = new AbortController();
  /** The agent outlives very many passes: it is listened to for as long as this one lasts. */
  readonly #stopping: Disposable;
  #timer: Disposable | undefined;
  #over = false;

  constructor(stop: AbortSignal, clock: Clock) {
    this.#clock = clock;
    this.signal = this.#soft.signal;
    this.callSignal = this.#hard.signal;
    this.#stopping = onAbort(stop, () => {
      this.#soft.abort(stop.reason);
      this.#hard.abort(stop.reason);
    });
  }

  interrupt(reason: Error): void {
    if (this.#over || this.#soft.signal.aborted) return;
    this.#soft.abort(reason);
    this.#timer = this.#clock.startTimer(PATIENCE_MS, () => this.#hard.abort(reason));
  }

  /** The pass is over: a call it left under way (the twin of one that failed) has no one to wait for it. */
  [Symbol.dispose](): void {
    this.#over = true;
    this.#stopping[Symbol.dispose]();
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#soft.abort(PASS_OVER);
    this.#hard.abort(PASS_OVER);
  }
}
