/**
 * How long a pod waits before it tries to pull an image again. Kept per pod
 * and image: containers of one image share the wait, and another image, or the
 * same one for another pod, does not inherit it.
 */
import {
  advanceBackOff,
  type BackOffEntry,
  type BackOffPolicy,
  backOffUntil,
} from '../../base/async/back-off.ts';
import type { PodUid } from '../../core/model/ids.ts';

const POLICY: BackOffPolicy = { initialMs: 10_000, maxMs: 300_000, factor: 2, forgetAfterMs: 600_000 };

export interface PullWait {
  readonly untilMs: number;
  /** How the last try ended: reason and message. */
  readonly lastError: string;
}

export class PullBackOff {
  readonly #entries = new Map<PodUid, Map<string, BackOffEntry & { readonly lastError: string }>>();

  /** Undefined when the pod may pull the image now. */
  waitOf(uid: PodUid, image: string, nowMs: number): PullWait | undefined {
    const entry = this.#entries.get(uid)?.get(image);
    if (entry === undefined) return undefined;
    const untilMs = backOffUntil(POLICY, entry, entry.updatedAtMs, nowMs);
    return untilMs === undefined ? undefined : { untilMs, lastError: entry.lastError };
  }

  /** Notes a failed pull; returns when the next one may be. */
  noteFailure(uid: PodUid, image: string, nowMs: number, lastError: string): number {
    const ofPod = this.#entries.get(uid) ?? new Map();
    this.#entries.set(uid, ofPod);
    const entry = advanceBackOff(POLICY, ofPod.get(image), nowMs, nowMs);
    ofPod.set(image, { ...entry, lastError });
    return nowMs + entry.delayMs;
  }

  /** The pod is gone. */
  forget(uid: PodUid): void {
    this.#entries.delete(uid);
  }
}
