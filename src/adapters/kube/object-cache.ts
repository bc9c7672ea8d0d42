/**
 * ConfigMaps and Secrets by name. An object that somebody listens to is
 * followed by one watch, however many listen, and read from memory; any other
 * is asked for at the server. An immutable object is kept without its watch.
 *
 * Invariant: a node asks only for single objects by name, because it may not
 * list more, and nothing is kept of an object nobody listens to.
 */
import { type Clock, sleep } from '../../base/clock.ts';
import { errorText } from '../../base/errors.ts';
import type { ObjectLookup } from '../../core/spec/environment-objects.ts';
import type { ObjectReference } from '../../core/volume/volume-objects.ts';
import { CONFIG_MAPS, SECRETS } from '../../ports/api-resource.ts';
import { type ApiObject, type ApiResource, type ApiServer, apiStatusOf } from '../../ports/api-server.ts';
import type { ListWatchHealth } from '../../ports/list-watch.ts';
import type { ObjectReader } from '../../ports/object-reader.ts';
import { type DataObject, toObjectLookup } from './to-object-lookup.ts';

export interface ObjectCacheSettings {
  readonly api: Pick<ApiServer, 'get' | 'follow'>;
  readonly clock: Clock;
  /** How long a reader waits for the first list of a new watch. */
  readonly syncWaitMs?: number;
}

const SYNC_WAIT_MS = 1_000;

type Kind = ObjectReference['kind'];

const RESOURCES: Readonly<Record<Kind, ApiResource>> = { configmap: CONFIG_MAPS, secret: SECRETS };

/** One followed object. */
interface Entry {
  readonly listeners: Set<() => void>;
  readonly stop: AbortController;
  readonly synced: PromiseWithResolvers<void>;
  readonly health: () => ListWatchHealth;
  lookup: ObjectLookup | undefined;
  /** A reader was sent away before the first list: to it that list is news. */
  missed: boolean;
}

export class ObjectCache implements ObjectReader {
  readonly #settings: ObjectCacheSettings;
  readonly #entries = new Map<string, Entry>();

  constructor(settings: ObjectCacheSettings) {
    this.#settings = settings;
  }

  /** Of all watches there are, for metrics. */
  health(): readonly ListWatchHealth[] {
    return [...this.#entries.values()].map((entry) => entry.health());
  }

  configMap(namespace: string, name: string, signal?: AbortSignal): Promise<ObjectLookup> {
    return this.#read({ kind: 'configmap', namespace, name }, signal);
  }

  secret(namespace: string, name: string, signal?: AbortSignal): Promise<ObjectLookup> {
    return this.#read({ kind: 'secret', namespace, name }, signal);
  }

  subscribe(reference: ObjectReference, onChange: () => void): Disposable {
    const key = keyOf(reference);
    const entry = this.#entries.get(key) ?? this.#follow(reference, key);
    // Wrapped, so that the same function given twice counts twice.
    const listener = (): void => onChange();
    entry.listeners.add(listener);
    return {
      [Symbol.dispose]: () => {
        entry.listeners.delete(listener);
        if (entry.listeners.size > 0 || this.#entries.get(key) !== entry) return;
        this.#entries.delete(key);
        entry.stop.abort();
      },
    };
  }

  async #read(reference: ObjectReference, signal?: AbortSignal): Promise<ObjectLookup> {
    const entry = this.#entries.get(keyOf(reference));
    if (entry === undefined) return this.#ask(reference, signal);
    const { clock, syncWaitMs = SYNC_WAIT_MS } = this.#settings;
    if (entry.lookup === undefined) {
      const waited = new AbortController();
      signal?.addEventListener('abort', () => waited.abort(), { once: true, signal: waited.signal });
      await Promise.race([entry.synced.promise, sleep(clock, syncWaitMs, waited.signal)]);
      waited.abort();
    }
    const message = `failed to sync ${reference.kind} cache: timed out waiting for the condition`;
    if (entry.lookup !== undefined) return entry.lookup;
    entry.missed = true;
    return { kind: 'failed', message };
  }

  async #ask({ kind, namespace, name }: ObjectReference, signal?: AbortSignal): Promise<ObjectLookup> {
    const ref = { resource: RESOURCES[kind], namespace, name };
    try {
      const object = await this.#settings.api.get<DataObject>(ref, signal === undefined ? {} : { signal });
      return toObjectLookup(kind, object);
    } catch (error) {
      return { kind: 'failed', message: apiStatusOf(error)?.message ?? errorText(error) };
    }
  }

  #follow({ kind, namespace, name }: ObjectReference, key: string): Entry {
    const query = { resource: RESOURCES[kind], namespace, fieldSelector: `metadata.name=${name}` };
    const watch = this.#settings.api.follow<ApiObject & DataObject>(query);
    const entry: Entry = {
      listeners: new Set(),
      stop: new AbortController(),
      synced: Promise.withResolvers<void>(),
      health: () => watch.health(),
      lookup: undefined,
      missed: false,
    };
    this.#entries.set(key, entry);
    let version: string | undefined;
    const take = (object: (ApiObject & DataObject) | undefined): void => {
      const next = object?.metadata.resourceVersion ?? '';
      // A relist tells again what is known; listeners only hear of changes.
      if (next === version) return;
      const isNews = version !== undefined || entry.missed;
      version = next;
      entry.lookup = toObjectLookup(kind, object);
      entry.synced.resolve();
      if (isNews) for (const listener of [...entry.listeners]) listener();
      // It can only be deleted now, which changes nothing for the pods that use it.
      if (object?.immutable === true) entry.stop.abort();
    };
    void watch.run(entry.stop.signal, {
      onReplace: ([object]) => take(object),
      onEvent: (type, object) => take(type === 'DELETED' ? undefined : object),
    });
    return entry;
  }
}

function keyOf({ kind, namespace, name }: ObjectReference): string {
  return `${kind}/${namespace}/${name}`;
}
