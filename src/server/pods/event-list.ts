/** The events the agent remembers, as the API's EventList. */
import { type ApiEvent, toApiEvent, toEventName } from '../../core/events/api-event.ts';
import type { RememberedEvent } from '../../core/events/remembered-event.ts';

/** What the listing reads: any memory of events. */
export interface EventListing {
  /** Oldest first. */
  list(): readonly RememberedEvent[];
  subscribe(listener: () => void): Disposable;
}

export interface EventList {
  readonly kind: 'EventList';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, never>>;
  readonly items: readonly ApiEvent[];
}

export function toEventList(events: readonly RememberedEvent[], nodeName: string): EventList {
  const items = [...toNamedEvents(events, nodeName).values()];
  return { kind: 'EventList', apiVersion: 'v1', metadata: {}, items };
}

/** By name. Names are stable while an event is remembered: two of the same time differ by their content. */
export function toNamedEvents(
  events: readonly RememberedEvent[],
  nodeName: string,
): ReadonlyMap<string, ApiEvent> {
  const named = new Map<string, ApiEvent>();
  for (const { object, type, reason, message, count, firstAtMs, lastAtMs } of events) {
    let nanos = BigInt(Math.trunc(firstAtMs)) * 1_000_000n;
    while (named.has(toEventName(object.name, nanos, `${object.name}-${nanos}`))) nanos++;
    const name = toEventName(object.name, nanos, `${object.name}-${nanos}`);
    const occurrence = { object, type, reason, message, atMs: lastAtMs };
    named.set(name, toApiEvent(occurrence, { name, nodeName, count, firstAtMs, isCombined: false }));
  }
  return named;
}
