/**
 * The ApiServer port straight on a FakeApiStore, without sockets: for tests
 * and simulations on virtual time. Watches run through the real reflector.
 * `unreachable` makes every call fail and every watch break, as a lost network
 * does; `intercept` sees each call first and may reject it.
 */
import { toApiError, toStatus } from '../../src/adapters/kube/client/api-error.ts';
import { Reflector, type ReflectorSource } from '../../src/adapters/kube/watch/reflector.ts';
import type { ReflectorTiming } from '../../src/adapters/kube/watch/reflector-timing.ts';
import { parseWatchFrame } from '../../src/adapters/kube/watch/watch-frame.ts';
import type { Clock } from '../../src/base/async/clock.ts';
import { onAbort } from '../../src/base/async/on-abort.ts';
import { AgentError, hasCode } from '../../src/base/errors.ts';
import type { Logger } from '../../src/base/log.ts';
import type {
  ApiCallOptions,
  ApiList,
  ApiObject,
  ApiResource,
  ApiServer,
  DeleteOptions,
  ListQuery,
  ObjectRef,
  PatchOptions,
  WriteOptions,
} from '../../src/ports/cluster/api-server.ts';
import type { ListWatch } from '../../src/ports/cluster/list-watch.ts';
import type { JsonObject } from './fake-api-patch.ts';
import { type Collection, toCollection } from './fake-api-path.ts';
import { FakeApiRefusal, type FakeApiStore } from './fake-api-store.ts';

export interface FakeApiCall {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'createSubresource';
  readonly plural: string;
  readonly name?: string;
  readonly subresource?: string;
  readonly body?: object;
  readonly options?: ApiCallOptions;
}

export interface FakeApiClientSettings {
  readonly store: FakeApiStore;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly timing?: Partial<ReflectorTiming>;
  readonly answerSubresource?: (ref: ObjectRef, subresource: string, body: object) => unknown;
}

export class FakeApiClient implements ApiServer {
  readonly calls: FakeApiCall[] = [];
  intercept: ((call: FakeApiCall) => Promise<void> | void) | undefined;
  readonly #settings: FakeApiClientSettings;
  readonly #watches = new Set<(error: AgentError) => void>();
  #unreachable = false;

  constructor(settings: FakeApiClientSettings) {
    this.#settings = settings;
  }

  set unreachable(value: boolean) {
    this.#unreachable = value;
    if (value) for (const lose of this.#watches) lose(lost());
  }

  async get<T>(ref: ObjectRef, options?: ApiCallOptions): Promise<T | undefined> {
    try {
      return await this.#do<T>({ verb: 'get', ...about(ref), ...given(options) }, () =>
        this.#settings.store.get(collectionOf(ref), ref.name),
      );
    } catch (error) {
      if (hasCode(error, 'not-found')) return undefined;
      throw error;
    }
  }

  list<T>(query: ListQuery, options?: ApiCallOptions): Promise<ApiList<T>> {
    const { store } = this.#settings;
    return this.#do({ verb: 'list', plural: query.resource.plural, ...given(options) }, () => ({
      resourceVersion: store.version,
      items: store.list(collectionOf(query), query.fieldSelector),
    }));
  }

  create<T>(resource: ApiResource, object: object, options?: ApiCallOptions): Promise<T> {
    const { namespace, name } =
      (object as { metadata?: { namespace?: string; name?: string } }).metadata ?? {};
    const of = collectionOf({ resource, ...(namespace === undefined ? {} : { namespace }) });
    const call = { plural: resource.plural, ...(name === undefined ? {} : { name }), ...given(options) };
    return this.#do({ verb: 'create', ...call, body: object }, () =>
      this.#settings.store.create(of, object as JsonObject),
    );
  }

  update<T>(ref: ObjectRef, object: object, options?: WriteOptions): Promise<T> {
    const call: FakeApiCall = { verb: 'update', ...about(ref), ...given(options), body: object };
    return this.#do(call, () =>
      this.#settings.store.replace(collectionOf(ref), ref.name, object as JsonObject, options?.subresource),
    );
  }

  patch<T>(ref: ObjectRef, patch: object, options: PatchOptions): Promise<T> {
    const call: FakeApiCall = { verb: 'patch', ...about(ref), ...given(options), body: patch };
    const { kind, subresource } = options;
    return this.#do(call, () =>
      this.#settings.store.patch(collectionOf(ref), ref.name, patch as JsonObject, kind, subresource),
    );
  }

  async delete(ref: ObjectRef, options: DeleteOptions = {}): Promise<void> {
    await this.#do({ verb: 'delete', ...about(ref), options }, () =>
      this.#settings.store.delete(collectionOf(ref), ref.name, options),
    );
  }

  createSubresource<T>(
    ref: ObjectRef,
    subresource: string,
    object: object,
    options?: ApiCallOptions,
  ): Promise<T> {
    const call: FakeApiCall = { verb: 'createSubresource', ...about(ref), ...given(options), body: object };
    return this.#do({ ...call, subresource }, () => {
      const answer = this.#settings.answerSubresource?.(ref, subresource, object);
      if (answer === undefined) throw new FakeApiRefusal(405, 'MethodNotAllowed', 'not supported here');
      return answer;
    });
  }

  follow<T extends ApiObject>(query: ListQuery): ListWatch<T> {
    const source: ReflectorSource<T> = {
      list: (signal) => this.list<T>(query, { signal }),
      watch: async (version, _seconds, onFrame, signal) => {
        await this.#do({ verb: 'watch', plural: query.resource.plural, options: { signal } }, () => {});
        await this.#watch(query, version, onFrame, signal);
      },
    };
    const { clock, random, logger, timing = {} } = this.#settings;
    return new Reflector<T>({ what: query.resource.plural, source, clock, random, logger, timing });
  }

  #watch<T extends ApiObject>(
    query: ListQuery,
    version: string,
    onFrame: Parameters<ReflectorSource<T>['watch']>[2],
    signal: AbortSignal,
  ): Promise<void> {
    const { promise, reject } = Promise.withResolvers<void>();
    const action = `watch ${query.resource.plural}`;
    try {
      const subscription = this.#settings.store.watch(
        collectionOf(query),
        query.fieldSelector ?? '',
        version,
        // Later, as over a network: a writer is not called back from inside its own change.
        (event) => {
          if (this.#unreachable) return;
          queueMicrotask(() => {
            try {
              if (!signal.aborted) onFrame(parseWatchFrame<T>(event, action));
            } catch (error) {
              reject(error);
            }
          });
        },
      );
      this.#watches.add(reject);
      onAbort(signal, () => reject(new AgentError('cancelled', `cannot ${action}: cancelled`)));
      return promise.finally(() => {
        this.#watches.delete(reject);
        subscription[Symbol.dispose]();
      });
    } catch (error) {
      return Promise.reject(toAgentError(action, error));
    }
  }

  async #do<T>(call: FakeApiCall, work: () => unknown): Promise<T> {
    this.calls.push(call);
    if (call.options?.signal?.aborted) throw new AgentError('cancelled', `cannot ${call.verb}: cancelled`);
    if (this.#unreachable) throw lost();
    await this.intercept?.(call);
    try {
      return structuredClone(work()) as T;
    } catch (error) {
      throw toAgentError(`${call.verb} ${call.plural} "${call.name ?? ''}"`, error);
    }
  }
}

function about(ref: ObjectRef): { plural: string; name: string } {
  return { plural: ref.resource.plural, name: ref.name };
}

function given(options: WriteOptions | undefined): Pick<FakeApiCall, 'options' | 'subresource'> {
  if (options === undefined) return {};
  return { options, ...(options.subresource === undefined ? {} : { subresource: options.subresource }) };
}

function collectionOf({ resource, namespace }: { resource: ApiResource; namespace?: string }): Collection {
  return toCollection(resource.group, resource.version, resource.plural, namespace);
}

function toAgentError(action: string, error: unknown): unknown {
  const status = error instanceof FakeApiRefusal ? toStatus(error.toStatus()) : undefined;
  return status === undefined ? error : toApiError(action, status);
}

function lost(): AgentError {
  return new AgentError('unavailable', 'the API server cannot be reached');
}
