/**
 * The ApiServer port over HTTP: each verb becomes one call with a path, a body
 * and a content type. Lists read all their pages; follow() hands the same
 * calls to a reflector.
 */
import { AgentError, hasCode } from '../../base/errors.ts';
import type {
  ApiCallOptions,
  ApiList,
  ApiObject,
  ApiResource,
  ApiServer,
  DeleteOptions,
  GetOptions,
  ListQuery,
  ObjectRef,
  PatchKind,
  PatchOptions,
  WriteOptions,
} from '../../ports/cluster/api-server.ts';
import type { ListWatch } from '../../ports/cluster/list-watch.ts';
import type { ApiCall, ApiCaller } from './client/api-caller.ts';
import { parseAnswer } from './client/api-error.ts';
import { JsonLines } from './client/json-lines.ts';
import {
  renderQuery,
  renderRef,
  toCollectionPath,
  toListPath,
  toObjectPath,
} from './client/resource-path.ts';
import { Reflector, type ReflectorSettings, type ReflectorSource } from './watch/reflector.ts';
import { parseWatchFrame, type WatchFrame } from './watch/watch-frame.ts';

const PATCH_TYPES: Readonly<Record<PatchKind, string>> = {
  strategic: 'application/strategic-merge-patch+json',
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
};

export type ReflectorDefaults = Pick<
  ReflectorSettings<never>,
  'clock' | 'random' | 'logger' | 'timing' | 'ledger'
>;

interface ListAnswer<T> {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly T[] | null;
}

export class KubeApiServer implements ApiServer {
  readonly #caller: ApiCaller;
  readonly #reflectors: ReflectorDefaults;

  constructor(caller: ApiCaller, reflectors: ReflectorDefaults) {
    this.#caller = caller;
    this.#reflectors = reflectors;
  }

  async get<T>(ref: ObjectRef, options?: GetOptions): Promise<T | undefined> {
    const path = toObjectPath(ref) + renderQuery({ resourceVersion: options?.resourceVersion });
    try {
      return await this.#send<T>({ action: `get ${renderRef(ref)}`, method: 'GET', path }, options);
    } catch (error) {
      if (hasCode(error, 'not-found')) return undefined;
      throw error;
    }
  }

  async list<T>(query: ListQuery, options?: ApiCallOptions): Promise<ApiList<T>> {
    const items: T[] = [];
    for (let next: string | undefined; ; ) {
      const path = toListPath(query, { limit: query.pageSize, continue: next });
      const action = `list ${query.resource.plural}`;
      const answer = await this.#send<ListAnswer<T>>({ action, method: 'GET', path }, options);
      items.push(...(answer.items ?? []));
      const { resourceVersion = '', continue: more = '' } = answer.metadata ?? {};
      if (resourceVersion === '')
        throw new AgentError('unknown', `cannot ${action}: the answer is not a list`);
      if (more === '') return { resourceVersion, items };
      next = more;
    }
  }

  create<T>(resource: ApiResource, object: object, options?: ApiCallOptions): Promise<T> {
    const { metadata } = object as { metadata?: { namespace?: string; name?: string } };
    const action = `create ${resource.plural} "${metadata?.name ?? ''}"`;
    const path = toCollectionPath(resource, metadata?.namespace);
    return this.#send<T>({ action, method: 'POST', path, body: object }, options);
  }

  update<T>(ref: ObjectRef, object: object, options?: WriteOptions): Promise<T> {
    const path = toObjectPath(ref, options?.subresource);
    return this.#send<T>({ action: `update ${renderRef(ref)}`, method: 'PUT', path, body: object }, options);
  }

  patch<T>(ref: ObjectRef, patch: object, options: PatchOptions): Promise<T> {
    const path = toObjectPath(ref, options.subresource);
    const contentType = PATCH_TYPES[options.kind];
    const action = `patch ${renderRef(ref)}`;
    return this.#send<T>({ action, method: 'PATCH', path, body: patch, contentType }, options);
  }

  async delete(ref: ObjectRef, options: DeleteOptions = {}): Promise<void> {
    const { gracePeriodSeconds, uid } = options;
    const body = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      ...(uid === undefined ? {} : { preconditions: { uid } }),
    };
    await this.#send(
      { action: `delete ${renderRef(ref)}`, method: 'DELETE', path: toObjectPath(ref), body },
      options,
    );
  }

  createSubresource<T>(
    ref: ObjectRef,
    subresource: string,
    object: object,
    options?: ApiCallOptions,
  ): Promise<T> {
    const path = toObjectPath(ref, subresource);
    const action = `create ${subresource} of ${renderRef(ref)}`;
    return this.#send<T>({ action, method: 'POST', path, body: object }, options);
  }

  follow<T extends ApiObject>(query: ListQuery): ListWatch<T> {
    const place = query.namespace === undefined ? '' : ` in ${query.namespace}`;
    const selector = query.fieldSelector === undefined ? '' : ` with ${query.fieldSelector}`;
    const what = `${query.resource.plural}${place}${selector}`;
    const kind = query.resource.plural;
    return new Reflector<T>({ ...this.#reflectors, what, kind, source: this.#reflectorSource<T>(query) });
  }

  #reflectorSource<T extends ApiObject>(query: ListQuery): ReflectorSource<T> {
    return {
      list: async (signal) => {
        const list = await this.list<T>(query, { signal });
        for (const item of list.items) dropManagedFields(item);
        return list;
      },
      watch: (fromVersion, timeoutSeconds, onFrame, signal) =>
        this.#watch<T>(query, fromVersion, timeoutSeconds, onFrame, signal),
    };
  }

  async #watch<T extends ApiObject>(
    query: ListQuery,
    resourceVersion: string,
    timeoutSeconds: number,
    onFrame: (frame: WatchFrame<T>) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const action = `watch ${query.resource.plural}`;
    const lines = new JsonLines((value) => {
      const frame = parseWatchFrame<T>(value, action);
      if ('object' in frame) dropManagedFields(frame.object);
      onFrame(frame);
    });
    const more = { watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds };
    const onData = (chunk: Buffer): void => lines.push(chunk);
    const call: ApiCall = { action, method: 'GET', path: toListPath(query, more), onData };
    await this.#caller.call(call, { signal, timeoutMs: Number.POSITIVE_INFINITY });
  }

  async #send<T>(call: ApiCall, options?: ApiCallOptions): Promise<T> {
    const response = await this.#caller.call(call, options);
    return parseAnswer(call.action, response.body) as T;
  }
}

/** Often the larger half of an object, and of no use to a node: kept objects go without. */
function dropManagedFields(object: ApiObject): void {
  delete (object.metadata as { managedFields?: unknown }).managedFields;
}
