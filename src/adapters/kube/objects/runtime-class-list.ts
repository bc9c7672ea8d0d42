/**
 * The RuntimeClasses of the cluster, kept current: of each only the handler,
 * which is all that a node needs. Who asks before they were read waits a
 * moment; the answers of an earlier run serve when the API server is away.
 */
import type { Clock } from '../../../base/async/clock.ts';
import { RUNTIME_CLASSES } from '../../../ports/cluster/api-resource.ts';
import type { ApiObject, ApiServer } from '../../../ports/cluster/api-server.ts';
import { FollowedList } from '../../../ports/cluster/followed-list.ts';
import type { ListWatch, ListWatchHealth } from '../../../ports/cluster/list-watch.ts';
import type { HandlerLookup, RuntimeClasses } from '../../../ports/cluster/runtime-classes.ts';

type RuntimeClass = ApiObject & { readonly handler: string };

const SYNC_WAIT_MS = 1_000;

export interface RuntimeClassListSettings {
  readonly api: Pick<ApiServer, 'follow'>;
  readonly clock: Clock;
  /** Handlers by name from an earlier run. */
  readonly readRemembered?: () => Readonly<Record<string, string>> | undefined;
}

export class RuntimeClassList implements RuntimeClasses {
  readonly #settings: RuntimeClassListSettings;
  readonly #watch: ListWatch<RuntimeClass>;
  readonly #handlers: FollowedList<RuntimeClass, string>;

  constructor(settings: RuntimeClassListSettings) {
    this.#settings = settings;
    this.#watch = settings.api.follow<RuntimeClass>({ resource: RUNTIME_CLASSES });
    this.#handlers = new FollowedList({ watch: this.#watch, toKept: ({ handler }) => handler });
  }

  health(): ListWatchHealth {
    return this.#watch.health();
  }

  /** Handlers by name; undefined until they were read once. */
  handlers(): Readonly<Record<string, string>> | undefined {
    return this.#handlers.isSynced ? Object.fromEntries(this.#handlers.entries()) : undefined;
  }

  /** Calls `listener` after every change; dispose the result to stop. */
  subscribe(listener: () => void): Disposable {
    return this.#handlers.subscribe(listener);
  }

  async handler(name: string, signal?: AbortSignal): Promise<HandlerLookup> {
    const { clock, readRemembered } = this.#settings;
    if (await this.#handlers.isSyncedWithin(clock, SYNC_WAIT_MS, signal))
      return toLookup(name, this.#handlers.get(name));
    const remembered = readRemembered?.()?.[name];
    if (remembered !== undefined) return { kind: 'found', handler: remembered };
    return { kind: 'failed', message: `failed to lookup RuntimeClass ${name}: they have not been read yet` };
  }

  run(stop: AbortSignal): Promise<void> {
    return this.#handlers.run(stop);
  }
}

function toLookup(name: string, handler: string | undefined): HandlerLookup {
  return handler === undefined
    ? { kind: 'failed', message: `runtimeclass.node.k8s.io ${JSON.stringify(name)} not found` }
    : { kind: 'found', handler };
}
