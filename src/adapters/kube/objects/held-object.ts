/**
 * What is known of one ConfigMap or Secret that a pod on this node uses:
 * pods that refer to it, listeners to its changes.
 *
 * Invariants: an older version never replaces a newer one; listeners hear of
 * a change once, and of the first answer only if they asked before it came.
 */
import { Emitter } from '../../../base/async/emitter.ts';
import { isOlderVersion } from '../../../core/api/resource-version.ts';
import type { ObjectLookup } from '../../../core/model/environment-objects.ts';
import type { ObjectReference } from '../../../core/volume/volume-objects.ts';
import type { ApiObject } from '../../../ports/cluster/api-server.ts';
import type { ListWatchHealth } from '../../../ports/cluster/list-watch.ts';
import type { RememberedObject } from '../../../ports/cluster/remembered-facts.ts';
import { fromRemembered, type Known, toRemembered } from './remembered-object.ts';
import { type DataObject, toObjectLookup } from './to-object-lookup.ts';

export type StoredData = ApiObject & DataObject;

/** How changes arrive while there are listeners. */
export interface Following {
  readonly stop: AbortController;
  /** Settles when it has stopped; never rejects. */
  readonly done: Promise<void>;
  /** Of a watch; absent when it is asked for again and again. */
  readonly health?: () => ListWatchHealth;
}

export class HeldObject {
  readonly reference: ObjectReference;
  readonly pods = new Set<string>();
  readonly changes = new Emitter();
  following: Following | undefined;
  /** Called when the server reports a new version. */
  onKnown: (() => void) | undefined;
  /** A listener was sent away without an answer: for it the first one is a change. */
  missed = false;
  #answered = Promise.withResolvers<void>();
  #known: Known | undefined;
  #isRestored = false;
  #askedAtMs = Number.NEGATIVE_INFINITY;

  constructor(reference: ObjectReference) {
    this.reference = reference;
  }

  get lookup(): ObjectLookup | undefined {
    return this.#known?.lookup;
  }

  /** What is known comes from an earlier run. */
  get isRestored(): boolean {
    return this.#isRestored;
  }

  /** It cannot change any more: no need to ask or to watch. */
  get isImmutable(): boolean {
    // It may have been re-created since an earlier run.
    return this.#known?.isImmutable === true && !this.#isRestored;
  }

  get isUsed(): boolean {
    return this.pods.size > 0 || this.changes.size > 0;
  }

  /** When the server last answered; long ago when what is known shall not be trusted. */
  get askedAtMs(): number {
    return this.#askedAtMs;
  }

  /** Resolves when the server has answered, after it was last marked stale. */
  get whenAnswered(): Promise<void> {
    return this.#answered.promise;
  }

  /** Takes what an earlier run knew, to be used only while the server cannot be asked. */
  restore(remembered: RememberedObject): void {
    if (this.#known !== undefined) return;
    this.#isRestored = true;
    this.#known = fromRemembered(remembered);
  }

  /** What is known, for a later run; undefined when nothing is. */
  remember(): RememberedObject | undefined {
    return this.#known === undefined ? undefined : toRemembered(this.#known);
  }

  /** A new user wants to see the newest. */
  markStale(): void {
    // Who waits for an answer already waits on.
    if (Number.isFinite(this.#askedAtMs)) this.#answered = Promise.withResolvers<void>();
    this.#askedAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Takes what the server said; undefined when there is no such object. */
  take(object: StoredData | undefined, nowMs: number): void {
    this.#askedAtMs = nowMs;
    this.#isRestored = false;
    this.#answered.resolve();
    const version = object?.metadata.resourceVersion ?? '';
    const known = this.#known;
    if (known !== undefined && (version === known.version || isOlderVersion(version, known.version))) return;
    this.onKnown?.();
    const isNews = known !== undefined || this.missed;
    const lookup = toObjectLookup(this.reference.kind, object);
    this.#known = { lookup, version, isImmutable: object?.immutable === true };
    if (isNews) this.changes.emit();
    // It can only be deleted now, which changes nothing for the pods that use it.
    if (this.isImmutable) this.following?.stop.abort();
  }
}
