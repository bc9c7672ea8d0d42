/**
 * Objects of the API server kept current by a watch, of each only what is
 * needed. The lists of services, RuntimeClasses, storage drivers and trust
 * bundles, and the node's own object, are made of this.
 *
 * Invariants: nothing is known before the first list; listeners are called
 * after a change can be read.
 */
import { type Clock, sleep } from '../../base/async/clock.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { whenAborted } from '../../base/async/when-aborted.ts';
import type { ApiObject } from './api-server.ts';
import type { ListWatch } from './list-watch.ts';

export interface FollowedListSettings<T, Kept> {
  readonly watch: Pick<ListWatch<T>, 'run'>;
  /** What is kept of an object; undefined keeps nothing of it. */
  readonly toKept: (object: T) => Kept | undefined;
  /** Whether `next` may take the place of `current`; absent: it always may. */
  readonly replaces?: (next: Kept, current: Kept) => boolean;
}

type Named = Pick<ApiObject, 'metadata'>;

export class FollowedList<T extends Named, Kept = T> {
  readonly #settings: FollowedListSettings<T, Kept>;
  readonly #changes = new Emitter();
  readonly #synced = new AbortController();
  readonly #whenSynced = whenAborted(this.#synced.signal);
  #kept = new Map<string, Kept>();
  #values: readonly Kept[] | undefined;

  constructor(settings: FollowedListSettings<T, Kept>) {
    this.#settings = settings;
  }

  /** Whether the objects were read once. */
  get isSynced(): boolean {
    return this.#synced.signal.aborted;
  }

  /** By name, or `<namespace>/<name>` for what lives in a namespace. */
  get(key: string): Kept | undefined {
    return this.#kept.get(key);
  }

  /** The same array until something changes. */
  values(): readonly Kept[] {
    this.#values ??= [...this.#kept.values()];
    return this.#values;
  }

  entries(): Iterable<readonly [string, Kept]> {
    return this.#kept.entries();
  }

  /** Calls `listener` after every change; dispose the result to stop. */
  subscribe(listener: () => void): Disposable {
    return this.#changes.subscribe(listener);
  }

  /** Resolves when the objects were read once. */
  whenSynced(): Promise<void> {
    return this.#whenSynced;
  }

  /** Waits at most so long for the first list; whether it is there. */
  async isSyncedWithin(clock: Clock, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    const synced = this.#synced.signal;
    if (!this.isSynced)
      await sleep(clock, timeoutMs, signal === undefined ? synced : AbortSignal.any([synced, signal]));
    return this.isSynced;
  }

  /** Takes an object that came sooner than the watch brings it. */
  take(object: T): void {
    if (this.#put(this.#kept, object)) this.#changed();
  }

  /** Drops an object that is known to be gone. */
  drop(key: string): void {
    this.#kept.delete(key);
    this.#changed();
  }

  /** Follows until `stop` aborts. */
  async run(stop: AbortSignal): Promise<void> {
    await this.#settings.watch.run(stop, {
      onReplace: (objects) => {
        const next = new Map<string, Kept>();
        for (const object of objects) this.#put(next, object);
        this.#kept = next;
        this.#synced.abort();
        this.#changed();
      },
      onEvent: (type, object) => {
        if (type === 'DELETED') this.drop(keyOf(object));
        else this.take(object);
      },
    });
  }

  /** False when what is known is newer. */
  #put(into: Map<string, Kept>, object: T): boolean {
    const { toKept, replaces } = this.#settings;
    const key = keyOf(object);
    const kept = toKept(object);
    const current = this.#kept.get(key);
    if (kept === undefined) into.delete(key);
    else if (current === undefined || replaces === undefined || replaces(kept, current)) into.set(key, kept);
    else {
      into.set(key, current);
      return false;
    }
    return true;
  }

  #changed(): void {
    this.#values = undefined;
    this.#changes.emit();
  }
}

function keyOf({ metadata: { namespace, name } }: Named): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
