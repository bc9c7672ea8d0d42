/**
 * Remembers the last events and hands each on to where events go. An event
 * that comes again is counted, as in the cluster, so that a crash loop does
 * not push out everything else. Memory only: the log and the API server keep
 * them for longer.
 *
 * Invariant: at most MAX_EVENTS are kept; the one longest unheard of goes
 * first.
 */
import type { Clock } from '../../base/clock.ts';
import {
  type EventObjectReference,
  toClaimReference,
  toNodeReference,
  toPodReference,
} from '../../core/events/api-event.ts';
import type { RememberedEvent } from '../../core/events/remembered-event.ts';
import type {
  ClaimEvent,
  ClaimEventRecorder,
  EventRecorder,
  NodeEvent,
  NodeEventRecorder,
  PodEvent,
} from '../../ports/event-recorder.ts';

const MAX_EVENTS = 1000;

export interface RecentEventsParts {
  readonly nodeName: string;
  readonly clock: Clock;
  /** Where events go on to. */
  readonly next: EventRecorder & NodeEventRecorder & ClaimEventRecorder;
}

export class RecentEvents implements EventRecorder, NodeEventRecorder, ClaimEventRecorder {
  readonly #parts: RecentEventsParts;
  /** Oldest first, by the time they were heard of last. */
  readonly #events = new Map<string, RememberedEvent>();
  readonly #listeners = new Set<() => void>();

  constructor(parts: RecentEventsParts) {
    this.#parts = parts;
  }

  record(event: PodEvent): void {
    this.#parts.next.record(event);
    this.#remember(toPodReference(event.pod, event.fieldPath), event);
  }

  recordNode(event: NodeEvent): void {
    this.#parts.next.recordNode(event);
    this.#remember(toNodeReference(this.#parts.nodeName), event);
  }

  recordClaim(event: ClaimEvent): void {
    this.#parts.next.recordClaim(event);
    this.#remember(toClaimReference(event.claim), event);
  }

  /** Oldest first; of one pod when its uid is given. */
  list(uid?: string): RememberedEvent[] {
    const all = [...this.#events.values()];
    return uid === undefined ? all : all.filter(({ object }) => object.uid === uid);
  }

  /** Calls `listener` after every event; dispose the result to stop. */
  subscribe(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #remember(object: EventObjectReference, { type, reason, message }: NodeEvent): void {
    const nowMs = this.#parts.clock.now();
    const key = JSON.stringify([object.uid ?? object.name, object.fieldPath, type, reason, message]);
    const before = this.#events.get(key);
    // Taken out and put in again: the map's order is the order of their last time.
    this.#events.delete(key);
    this.#events.set(key, {
      object,
      type,
      reason,
      message,
      count: (before?.count ?? 0) + 1,
      firstAtMs: before?.firstAtMs ?? nowMs,
      lastAtMs: nowMs,
    });
    const [oldest] = this.#events.keys();
    if (this.#events.size > MAX_EVENTS && oldest !== undefined) this.#events.delete(oldest);
    for (const listener of this.#listeners) listener();
  }
}
