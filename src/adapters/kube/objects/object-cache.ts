/**
 * ConfigMaps and Secrets by name. One with listeners is followed:
 * by one watch however many listen, or by asking now and then when so
 * configured. Any other is asked for when it is read; the answer is kept as
 * long as a registered pod refers to the object, so that its containers can
 * start again while the API server is away.
 *
 * Invariants: a node asks only for single objects by name, because it may not
 * list more; nothing is kept of an object that no pod on the node uses.
 */
import { type Clock, sleep } from '../../../base/async/clock.ts';
import { onAbort } from '../../../base/async/on-abort.ts';
import { retry } from '../../../base/async/retry.ts';
import type { RetryPolicy } from '../../../base/async/retry-delay.ts';
import { SingleFlight } from '../../../base/async/single-flight.ts';
import { errorText, hasCode } from '../../../base/errors.ts';
import type { StoreView } from '../../../base/store.ts';
import type { Pod } from '../../../core/api/pod.ts';
import type { ObjectLookup } from '../../../core/model/environment-objects.ts';
import type { PodUid } from '../../../core/model/ids.ts';
import type { ObjectReference } from '../../../core/volume/volume-objects.ts';
import { CONFIG_MAPS, SECRETS } from '../../../ports/cluster/api-resource.ts';
import {
  type ApiResource,
  type ApiServer,
  apiStatusOf,
  type GetOptions,
  type ObjectRef,
} from '../../../ports/cluster/api-server.ts';
import type { ListWatchHealth } from '../../../ports/cluster/list-watch.ts';
import type { ObjectReader } from '../../../ports/cluster/object-reader.ts';
import { REMEMBERED_WAIT_MS, type RememberedObject } from '../../../ports/cluster/remembered-facts.ts';
import { type Following, HeldObject, type StoredData } from './held-object.ts';
import { toObjectKey, toPodObjects } from './pod-objects.ts';
import { toObjectLookup } from './to-object-lookup.ts';

/** Values of configMapAndSecretChangeDetectionStrategy. */
export type ChangeDetection = 'Watch' | 'Cache' | 'Get';

export interface ObjectCacheSettings {
  readonly api: Pick<ApiServer, 'get' | 'follow'>;
  readonly clock: Clock;
  /** Default: `Watch`. */
  readonly detection?: ChangeDetection;
  /** How long an answer is good with `Cache`; asked each time, because the node object says it. */
  readonly ttlMs?: () => number;
  /** How often objects with listeners are read without a watch: syncFrequency. */
  readonly pollMs?: number;
  /** How long a reader waits for the first list of a new watch. */
  readonly syncWaitMs?: number;
  /** What an earlier run knew of the object with this key. */
  readonly readRemembered?: (key: string) => RememberedObject | undefined;
  /** The server said something new of an object. */
  readonly onKnown?: () => void;
}

const SYNC_WAIT_MS = 1_000;
const POLL_MS = 60_000;
/** A watch is about so late as well: pods that start together ask once. */
const FRESH_MS = 1_000;
/** The server learns of a pod's rights a little after the pod itself is here. */
const ASK_RETRY: RetryPolicy = { initialMs: 100, maxMs: Number.POSITIVE_INFINITY };

const RESOURCES: Readonly<Record<ObjectReference['kind'], ApiResource>> = {
  configmap: CONFIG_MAPS,
  secret: SECRETS,
};

export class ObjectCache implements ObjectReader {
  readonly #settings: ObjectCacheSettings;
  readonly #detection: ChangeDetection;
  readonly #held = new Map<string, HeldObject>();
  readonly #pods = new Map<string, { readonly pod: Pod; readonly keys: readonly string[] }>();
  readonly #asking = new SingleFlight<ObjectLookup>();

  constructor(settings: ObjectCacheSettings) {
    this.#settings = settings;
    this.#detection = settings.detection ?? 'Watch';
  }

  /** Of all watches there are, for metrics. */
  health(): readonly ListWatchHealth[] {
    return [...this.#held.values()].flatMap(({ following }) => following?.health?.() ?? []);
  }

  configMap(namespace: string, name: string, signal?: AbortSignal): Promise<ObjectLookup> {
    return this.#read({ kind: 'configmap', namespace, name }, signal);
  }

  secret(namespace: string, name: string, signal?: AbortSignal): Promise<ObjectLookup> {
    return this.#read({ kind: 'secret', namespace, name }, signal);
  }

  subscribe(reference: ObjectReference, onChange: () => void): Disposable {
    const held = this.#hold(reference);
    const subscription = held.changes.subscribe(onChange);
    let isOver = false;
    if (held.changes.size === 1 && !held.isImmutable) held.following = this.#follow(held);
    return {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        subscription[Symbol.dispose]();
        if (held.changes.size === 0) {
          held.following?.stop.abort();
          held.following = undefined;
        }
        this.#dropUnused(held);
      },
    };
  }

  /** Registers the pods that are in the store, as long as they are; dispose the result to stop. */
  follow(records: Pick<StoreView<PodUid, { readonly pod: Pod }>, 'subscribe'>): Disposable {
    return records.subscribe((uid, record) =>
      record === undefined ? this.unregister(uid) : this.register(record.pod),
    );
  }

  /** A pod of this node, as it is now: what is read of the objects it refers to is kept. Asks nothing. */
  register(pod: Pod): void {
    const { uid } = pod.metadata;
    const before = this.#pods.get(uid);
    if (before?.pod === pod) return;
    const objects = toPodObjects(pod);
    this.#pods.set(uid, { pod, keys: [...objects.keys()] });
    for (const reference of objects.values()) {
      const held = this.#hold(reference);
      if (held.pods.has(uid)) continue;
      held.pods.add(uid);
      // A watch is as current as an answer would be.
      if (!this.#isWatched(held)) held.markStale();
    }
    this.#release(
      uid,
      (before?.keys ?? []).filter((key) => !objects.has(key)),
    );
  }

  /** The pod is gone from the node, with its volumes. */
  unregister(podUid: string): void {
    const { keys = [] } = this.#pods.get(podUid) ?? {};
    this.#pods.delete(podUid);
    this.#release(podUid, keys);
  }

  /** What is known of the objects that pods refer to, by key, for a later run. */
  remember(): Record<string, RememberedObject> {
    const found: Record<string, RememberedObject> = {};
    for (const [key, held] of this.#held) {
      const remembered = held.pods.size === 0 ? undefined : held.remember();
      if (remembered !== undefined) found[key] = remembered;
    }
    return found;
  }

  /** Ends all watches; resolves when they have ended. */
  async close(): Promise<void> {
    const running = [...this.#held.values()].flatMap(({ following }) => following ?? []);
    for (const { stop } of running) stop.abort();
    await Promise.all(running.map(({ done }) => done));
  }

  #hold(reference: ObjectReference): HeldObject {
    const key = toObjectKey(reference);
    const known = this.#held.get(key);
    if (known !== undefined) return known;
    const { readRemembered, onKnown } = this.#settings;
    const held = new HeldObject(reference);
    const remembered = readRemembered?.(key);
    if (remembered !== undefined) held.restore(remembered);
    held.onKnown = onKnown;
    this.#held.set(key, held);
    return held;
  }

  #release(podUid: string, keys: readonly string[]): void {
    for (const key of keys) {
      const held = this.#held.get(key);
      if (held?.pods.delete(podUid)) this.#dropUnused(held);
    }
  }

  #dropUnused(held: HeldObject): void {
    if (!held.isUsed) this.#held.delete(toObjectKey(held.reference));
  }

  async #read(reference: ObjectReference, signal?: AbortSignal): Promise<ObjectLookup> {
    const key = toObjectKey(reference);
    const held = this.#held.get(key);
    if (held?.lookup !== undefined && this.#isGood(held)) return held.lookup;
    if (held !== undefined && this.#isWatched(held)) return this.#waitFor(held, signal);
    const answer = await this.#asking.run(key, () => this.#ask(reference), signal);
    return answer ?? { kind: 'failed', message: 'cancelled' };
  }

  #isWatched({ following }: HeldObject): boolean {
    return following?.health !== undefined;
  }

  #isGood(held: HeldObject): boolean {
    if (held.isImmutable) return true;
    if (this.#isWatched(held)) return Number.isFinite(held.askedAtMs);
    const ageMs = this.#settings.clock.steady() - held.askedAtMs;
    if (this.#detection === 'Watch') return ageMs < FRESH_MS;
    return this.#detection === 'Cache' && held.lookup?.kind === 'found' && ageMs < this.#ttlMs();
  }

  #ttlMs(): number {
    return this.#settings.ttlMs?.() ?? POLL_MS;
  }

  /** For the first list of a watch. What was read before it began serves when that does not come. */
  async #waitFor(held: HeldObject, signal?: AbortSignal): Promise<ObjectLookup> {
    const { clock, syncWaitMs = SYNC_WAIT_MS } = this.#settings;
    const waited = new AbortController();
    using _listening = onAbort(signal, () => waited.abort());
    await Promise.race([held.whenAnswered, sleep(clock, syncWaitMs, waited.signal)]);
    waited.abort();
    if (held.lookup !== undefined) return held.lookup;
    held.missed = true;
    const message = `failed to sync ${held.reference.kind} cache: timed out waiting for the condition`;
    return { kind: 'failed', message };
  }

  async #ask(reference: ObjectReference): Promise<ObjectLookup> {
    const key = toObjectKey(reference);
    const { kind, namespace, name } = reference;
    const before = this.#held.get(key);
    // Looking again at what is known may be answered from the server's own memory, which is cheap for it.
    const isRelaxed =
      this.#detection === 'Cache' && before?.lookup?.kind === 'found' && Number.isFinite(before.askedAtMs);
    try {
      const ref = { resource: RESOURCES[kind], namespace, name };
      const object = await this.#askUntilAllowed(ref, {
        ...(isRelaxed ? { resourceVersion: '0' } : {}),
        ...(before?.isRestored ? { timeoutMs: REMEMBERED_WAIT_MS } : {}),
      });
      const held = this.#held.get(key);
      held?.take(object, this.#settings.clock.steady());
      return held?.lookup ?? toObjectLookup(kind, object);
    } catch (error) {
      const held = this.#held.get(key);
      if (held?.lookup !== undefined && this.#serves(held, error)) return held.lookup;
      if (held !== undefined) held.missed = true;
      return { kind: 'failed', message: apiStatusOf(error)?.message ?? errorText(error) };
    }
  }

  /** Whether what is known may stand for an answer that did not come. */
  #serves({ lookup, isRestored }: HeldObject, error: unknown): boolean {
    // What an earlier run knew is better than a pod that does not start, but no better than a refusal.
    if (isRestored) return hasCode(error, 'unavailable') || hasCode(error, 'deadline-exceeded');
    return this.#detection !== 'Get' && lookup?.kind === 'found';
  }

  async #askUntilAllowed(ref: ObjectRef, options: GetOptions): Promise<StoredData | undefined> {
    const { api, clock, syncWaitMs = SYNC_WAIT_MS } = this.#settings;
    const endAtMs = clock.steady() + syncWaitMs;
    const mayRetry = (error: unknown, _failures: number, delayMs: number): boolean =>
      hasCode(error, 'permission-denied') && clock.steady() + delayMs <= endAtMs;
    return retry(() => api.get<StoredData>(ref, options), { clock, policy: ASK_RETRY, mayRetry });
  }

  #follow(held: HeldObject): Following {
    return this.#detection === 'Watch' ? this.#watch(held) : this.#poll(held);
  }

  #watch(held: HeldObject): Following {
    const { clock } = this.#settings;
    const { kind, namespace, name } = held.reference;
    const query = { resource: RESOURCES[kind], namespace, fieldSelector: `metadata.name=${name}` };
    const watch = this.#settings.api.follow<StoredData>(query);
    const stop = new AbortController();
    held.markStale();
    const done = watch.run(stop.signal, {
      onReplace: ([object]) => held.take(object, clock.steady()),
      onEvent: (type, object) => held.take(type === 'DELETED' ? undefined : object, clock.steady()),
    });
    return { stop, done, health: () => watch.health() };
  }

  #poll(held: HeldObject): Following {
    const { clock, pollMs = POLL_MS } = this.#settings;
    const stop = new AbortController();
    const run = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        await sleep(clock, pollMs, stop.signal);
        // Whatever the answer is, listeners are called when it differs from the last one.
        if (!stop.signal.aborted) await this.#read(held.reference, stop.signal);
      }
    };
    return { stop, done: run() };
  }
}
