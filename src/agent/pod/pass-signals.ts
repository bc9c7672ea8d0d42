/**
 * The signals of one pass of a worker. An interruption ends waits at once
 * (a pull, a hook, a place in the gate), but a short runtime call that has
 * begun gets a moment to end by itself: what the runtime did is then seen and
 * undone by us, instead of by the runtime behind our back after we have
 * already said that the pod is gone. So does a stop of the agent: a container
 * whose start is cancelled has failed, which ends a pod that must not restart.
 */
import type { Clock } from '../../base/async/clock.ts';
import { onAbort } from '../../base/async/on-abort.ts';

/** Makes of a sandbox or a start take a fraction of this; what takes longer hangs or is very slow. */
const PATIENCE_MS = 2_000;
/** What a stop of the agent may cost at most on a runtime that hangs. */
const STOP_PATIENCE_MS = 5_000;

/** One for all: an error per pass would be garbage, nothing reads its trace. */
const PASS_OVER = new Error('the pass is over');

export class PassSignals implements Disposable {
  /** Aborts when the pass is interrupted or the agent stops. */
  readonly signal: AbortSignal;
  /** Aborts a moment after `signal`: for calls that are better ended than cancelled. */
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
    this.#stopping = onAbort(stop, () => this.#cutShort(stop.reason, STOP_PATIENCE_MS));
  }

  interrupt(reason: Error): void {
    this.#cutShort(reason, PATIENCE_MS);
  }

  /** The first reason counts, and its patience. */
  #cutShort(reason: unknown, patienceMs: number): void {
    if (this.#over || this.#soft.signal.aborted) return;
    this.#soft.abort(reason);
    this.#timer = this.#clock.startTimer(patienceMs, () => this.#hard.abort(reason));
  }

  /** The pass is over: a call it left under way (the twin of one that failed) has no caller that waits for it. */
  [Symbol.dispose](): void {
    this.#over = true;
    this.#stopping[Symbol.dispose]();
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#soft.abort(PASS_OVER);
    this.#hard.abort(PASS_OVER);
  }
}
