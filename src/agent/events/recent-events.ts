/**
 * Remembers the last events and hands each on to where events go. An event
 * that comes again is counted, as in the cluster, so that a crash loop does
 * not push out everything else. Memory only: the log and the API server keep
 * them for longer.
 *
 * Invariant: at most MAX_EVENTS are kept; the one not seen for the longest time goes
 * first.
 */
import type { Clock } from '../../base/async/clock.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { toEventObject } from '../../core/events/event-subject.ts';
import type { RememberedEvent } from '../../core/events/remembered-event.ts';
import type { EventRecorder, RecordedEvent } from '../../ports/event-recorder.ts';

const MAX_EVENTS = 1000;

export interface RecentEventsParts {
  readonly nodeName: string;
  readonly clock: Clock;
  /** Where events go on to. */
  readonly next: EventRecorder;
}

export class RecentEvents implements EventRecorder {
  readonly #parts: RecentEventsParts;
  /** Oldest first, by the time they were last seen. */
  readonly #events = new Map<string, RememberedEvent>();
  readonly #changes = new Emitter();

  constructor(parts: RecentEventsParts) {
    this.#parts = parts;
  }

  record(event: RecordedEvent): void {
    this.#parts.next.record(event);
    this.#remember(event);
  }

  /** Oldest first; of one pod when its uid is given. */
  list(uid?: string): RememberedEvent[] {
    const all = [...this.#events.values()];
    return uid === undefined ? all : all.filter(({ object }) => object.uid === uid);
  }

  /** Calls `listener` after every event; dispose the result to stop. */
  subscribe(listener: () => void): Disposable {
    return this.#changes.subscribe(listener);
  }

  #remember({ about, type, reason, message }: RecordedEvent): void {
    const object = toEventObject(about, this.#parts.nodeName);
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
    this.#changes.emit();
  }
}
