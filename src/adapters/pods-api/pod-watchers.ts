/**
 * Those who watch pods, each with a line of changes that wait to be sent. One
 * whose line is full has lost its place: it reads too slowly, and what it
 * would miss cannot be made up for. It may list and watch again.
 *
 *   note ─► line (≤100) ─► next ─► sent
 *             └─ full ─► `signal` aborts with RESOURCE_EXHAUSTED
 */
import { EventType, encodeWatchPodsEvent } from '../../gen/pods.ts';
import type { PodChange } from '../../ports/pod-catalog.ts';
import { GrpcCode, GrpcError } from '../grpc/grpc-status.ts';
import { encodePod } from './encode-pod.ts';

const MAX_WAITING = 100;
const MAX_WATCHERS = 32;
const TYPES = {
  added: EventType.ADDED,
  modified: EventType.MODIFIED,
  deleted: EventType.DELETED,
} as const;

/** Encoded when it is first sent, once for all who watch. */
export class PodEvent {
  readonly #change: PodChange;
  #bytes: Uint8Array | undefined;

  constructor(change: PodChange) {
    this.#change = change;
  }

  get bytes(): Uint8Array {
    const { kind, pod } = this.#change;
    this.#bytes ??= encodeWatchPodsEvent({ type: TYPES[kind], pod: encodePod(pod) });
    return this.#bytes;
  }
}

class PodWatcher {
  readonly #line: PodEvent[] = [];
  readonly #lost = new AbortController();
  #wake: (() => void) | undefined;

  /** Aborts when changes came faster than they were taken. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** False when there is no room for it. */
  add(event: PodEvent): boolean {
    if (this.#line.length >= MAX_WAITING) {
      this.#line.length = 0;
      this.#lost.abort(new GrpcError(GrpcCode.RESOURCE_EXHAUSTED, 'watch client channel closed'));
      return false;
    }
    this.#line.push(event);
    this.#wake?.();
    return true;
  }

  /** The next change, when there is one. */
  async next(): Promise<PodEvent> {
    for (;;) {
      const event = this.#line.shift();
      if (event !== undefined) return event;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

export class PodWatchers {
  readonly #watchers = new Set<PodWatcher>();
  readonly #onDropped: () => void;

  constructor(onDropped: () => void) {
    this.#onDropped = onDropped;
  }

  get size(): number {
    return this.#watchers.size;
  }

  /** Throws GrpcError when there are too many. */
  add(): PodWatcher {
    if (this.#watchers.size >= MAX_WATCHERS)
      throw new GrpcError(GrpcCode.RESOURCE_EXHAUSTED, `more than ${MAX_WATCHERS} watches are open`);
    const watcher = new PodWatcher();
    this.#watchers.add(watcher);
    return watcher;
  }

  remove(watcher: PodWatcher): void {
    this.#watchers.delete(watcher);
  }

  note(change: PodChange): void {
    if (this.#watchers.size === 0) return;
    const event = new PodEvent(change);
    for (const watcher of this.#watchers) {
      if (watcher.add(event)) continue;
      this.#watchers.delete(watcher);
      this.#onDropped();
    }
  }
}
