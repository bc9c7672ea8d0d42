/**
 * The Kubernetes API server as the agent sees it: plain JSON objects, a few
 * verbs, and lists that stay current. Implemented by adapters/kube and by the
 * fake in test/fakes.
 *
 * Every call rejects with AgentError: `conflict`, `not-found`, `gone`,
 * `too-many-requests`, `unauthenticated`, …; an aborted `signal` rejects with
 * `cancelled`. What the server said in full is in apiStatusOf(error).
 */
import type { ListWatch } from './list-watch.ts';

/** A kind of object by its place in the API; `group` is '' for the core group. */
export interface ApiResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** One object. `namespace` is left out for objects of the whole cluster. */
export interface ObjectRef {
  readonly resource: ApiResource;
  readonly namespace?: string;
  readonly name: string;
}

/** Which objects; without a namespace those of all. */
export interface ListQuery {
  readonly resource: ApiResource;
  readonly namespace?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** Objects per answer; all pages are read. By default everything comes in one answer. */
  readonly pageSize?: number;
}

/** What every stored object has. */
export interface ApiObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
}

export interface ApiList<T> {
  readonly resourceVersion: string;
  readonly items: readonly T[];
}

/**
 * Who goes first when calls wait for their turn. `heartbeat` (lease and node
 * status) never waits and has a connection of its own.
 */
export type CallPriority = 'heartbeat' | 'status' | 'normal' | 'events';

export interface ApiCallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Default: `normal`. */
  readonly priority?: CallPriority;
  /** For the whole call with its retries. */
  readonly timeoutMs?: number;
}

export interface GetOptions extends ApiCallOptions {
  /** '0' allows an answer from the server's cache, which may be old. */
  readonly resourceVersion?: string;
}

export interface WriteOptions extends ApiCallOptions {
  /** Such as `status`. */
  readonly subresource?: string;
}

export type PatchKind = 'strategic' | 'merge' | 'json';

export interface PatchOptions extends WriteOptions {
  readonly kind: PatchKind;
}

export interface DeleteOptions extends ApiCallOptions {
  readonly gracePeriodSeconds?: number;
  /** Delete only the object with this UID; `conflict` when another object has the name now. */
  readonly uid?: string;
}

export interface ApiServer {
  /** The object, or undefined when there is none. */
  get<T>(ref: ObjectRef, options?: GetOptions): Promise<T | undefined>;
  list<T>(query: ListQuery, options?: ApiCallOptions): Promise<ApiList<T>>;
  /** Creates in the namespace that the object names; `already-exists` when the name is taken. */
  create<T>(resource: ApiResource, object: object, options?: ApiCallOptions): Promise<T>;
  /** Replaces the object; `conflict` when its resourceVersion is not the newest. */
  update<T>(ref: ObjectRef, object: object, options?: WriteOptions): Promise<T>;
  patch<T>(ref: ObjectRef, patch: object, options: PatchOptions): Promise<T>;
  /** Rejects with `not-found` when there is nothing to delete. */
  delete(ref: ObjectRef, options?: DeleteOptions): Promise<void>;
  /** Posts to a sub-resource, such as `token` or `eviction`. */
  createSubresource<T>(
    ref: ObjectRef,
    subresource: string,
    object: object,
    options?: ApiCallOptions,
  ): Promise<T>;
  /** The objects of a query, kept current. Nothing happens before its run(). */
  follow<T extends ApiObject>(query: ListQuery): ListWatch<T>;
}

/** The answer of the API server to a call that failed. */
export interface ApiStatus {
  readonly code: number;
  readonly reason: string;
  /** In the server's words, such as `secrets "x" not found`. */
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

/** Carries an ApiStatus as the cause of an AgentError. */
export class ApiStatusError extends Error {
  override readonly name = 'ApiStatusError';
  readonly status: ApiStatus;

  constructor(status: ApiStatus) {
    super(status.message);
    this.status = status;
  }
}

/** What the server answered; undefined when `error` is not an answer of the server (a connection error, say). */
export function apiStatusOf(error: unknown): ApiStatus | undefined {
  if (error instanceof ApiStatusError) return error.status;
  return error instanceof Error && error.cause instanceof ApiStatusError ? error.cause.status : undefined;
}
