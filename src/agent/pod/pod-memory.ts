/**
 * What one worker remembers between passes: failures and when they may be
 * tried again, and whether the last pass had an effect. All of it may be lost
 * at any time; it only shapes waiting, never what is true.
 */
import type { Pod } from '../../core/api/pod.ts';
import type { Action } from '../../core/model/actions.ts';
import type { ObservedPod } from '../../core/model/observed-pod.ts';
import { allContainersOf } from '../../core/model/pod-containers.ts';
import type { PodFailure, StartFailure, WaitingReason } from '../../core/model/start-failure.ts';
import type { ActionResult } from './perform-action.ts';

export class PodMemory {
  readonly startFailures = new Map<string, StartFailure>();
  /** With which image the start of each of these containers failed. */
  readonly #failedImages = new Map<string, string | undefined>();
  /** Why containers wait; kept until the container has started, so that a retry does not flicker in the status. */
  readonly waiting = new Map<string, WaitingReason>();
  podFailure: PodFailure | undefined;
  /** Failures in a row of each step. */
  readonly #failures = new Map<Action['kind'], number>();
  /** Apart from the others: what cannot be resized now keeps nothing else from being done. */
  resizeFailure: PodFailure | undefined;
  /** To the millisecond; the published time has whole seconds only. */
  startedAtMs: number | undefined;
  /** The last pass performed something; the next one expects to see it. */
  didAct = false;
  #seen = '';

  /** True when the runtime shows something else than at the last call. */
  noticeChange(observed: ObservedPod): boolean {
    const seen = JSON.stringify([
      observed.sandboxes.map(({ id, ready }) => [id, ready]),
      observed.containers.map(({ id, state }) => [id, state]),
    ]);
    const changed = seen !== this.#seen;
    this.#seen = seen;
    return changed;
  }

  /** A start that failed with another image says nothing about the one the pod names now. */
  forgetOtherImages(pod: Pod): void {
    for (const { name, image } of allContainersOf(pod)) {
      if (!this.#failedImages.has(name) || this.#failedImages.get(name) === image) continue;
      this.#failedImages.delete(name);
      this.startFailures.delete(name);
      this.waiting.delete(name);
    }
  }

  noteWaiting(waiting: ReadonlyMap<string, WaitingReason>): void {
    for (const [name, reason] of waiting) this.waiting.set(name, reason);
  }

  /** How often the last tries of this step have failed in a row. */
  failures(action: Action): number {
    return this.#failures.get(action.kind) ?? 0;
  }

  /** As if nothing had failed; why containers wait stays in the status until they have started. */
  forgetFailures(): void {
    this.#failures.clear();
    this.#failedImages.clear();
    this.startFailures.clear();
    this.podFailure = undefined;
    this.resizeFailure = undefined;
  }

  /** Takes in how an action went: success clears the failure it stood under. */
  note(action: Action, result: ActionResult, nowMs: number): void {
    if (result.kind === 'done') this.#failures.delete(action.kind);
    else this.#failures.set(action.kind, this.failures(action) + 1);
    if (action.kind === 'start-container') {
      const { name, image } = action.container;
      if (result.kind === 'done') {
        this.#failedImages.delete(name);
        this.startFailures.delete(name);
        this.waiting.delete(name);
      } else {
        const { reason, message, retryAtMs } = result;
        this.#failedImages.set(name, image);
        this.startFailures.set(name, { reason, message, failedAtMs: nowMs, retryAtMs });
      }
      return;
    }
    const failure =
      result.kind === 'done'
        ? undefined
        : { step: action.kind, message: result.message, failedAtMs: nowMs, retryAtMs: result.retryAtMs };
    if (action.kind === 'resize-pod') this.resizeFailure = failure;
    else this.podFailure = failure;
  }
}
