/**
 * A set of API objects kept current by one list and the changes after it. It
 * survives lost connections, restarts of the API server and expired versions;
 * health() shows when events stopped arriving.
 */

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/**
 * Called one after the other, never after run() resolved. A handler that
 * throws is reported and answered with a new list.
 */
export interface ListWatchHandlers<T> {
  /** The complete set: at the start and after every relist. */
  onReplace(items: readonly T[]): void;
  /** One change since. `DELETED` carries the last known object. */
  onEvent(type: WatchEventType, object: T): void;
  /** Once, after the first onReplace. */
  onSynced?(): void;
}

export interface ListWatchHealth {
  /** Since the last list, change or bookmark, or since the start; 0 when it does not run. */
  readonly lastEventAgeMs: number;
  /** Lists after the first one. */
  readonly relists: number;
  /** Consecutive failed attempts; 0 while a watch is open, even an idle one. */
  readonly failures: number;
  /** Watches after the first one of a list. */
  readonly reconnects: number;
  readonly synced: boolean;
}

export interface ListWatch<T> {
  /** Follows until `stop` aborts; resolves then, never rejects. One run at a time. */
  run(stop: AbortSignal, handlers: ListWatchHandlers<T>): Promise<void>;
  /** Asks for a new list soon, also when all seems well. */
  relist(): void;
  health(): ListWatchHealth;
}
