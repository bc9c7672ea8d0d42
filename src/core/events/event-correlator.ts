/**
 * Decides how an event is written: as a new object, as one more of a known one,
 * or not at all. Order: similar events are combined, equal ones counted, then
 * the allowance of the object is checked; counting continues while it is used
 * up, so that the next write has the true number.
 *
 * Deterministic: times and names come in with the calls. Bounded memory.
 */
import { TokenBucket } from '../../base/async/token-bucket.ts';
import { type ApiEvent, type Occurrence, toApiEvent, toEventName } from './api-event.ts';
import { COMBINED_PREFIX, combineEvent, type SimilarEvents } from './combine-events.ts';
import { EVENT_ALLOWANCE } from './event-allowance.ts';
import { toAllowanceKey, toSameKey, toSimilarKey } from './event-keys.ts';
import { RecentMap } from './recent-map.ts';

const MAX_KNOWN = 4096;

interface KnownEvent {
  readonly name: string;
  readonly count: number;
  readonly firstAtMs: number;
}

export type EventDecision =
  | { readonly kind: 'create'; readonly event: ApiEvent }
  /** The event is known under its name: only count, last time and message change. */
  | { readonly kind: 'count'; readonly event: ApiEvent }
  | { readonly kind: 'drop' };

export interface EventNaming {
  /** Different for every event of this node. */
  readonly nanos: bigint;
  /** The name where an ordinary one is impossible. */
  readonly spareName: string;
}

export class EventCorrelator {
  readonly #nodeName: string;
  readonly #similar = new RecentMap<SimilarEvents>(MAX_KNOWN);
  readonly #known = new RecentMap<KnownEvent>(MAX_KNOWN);
  readonly #allowances = new RecentMap<TokenBucket>(MAX_KNOWN);

  constructor(nodeName: string) {
    this.#nodeName = nodeName;
  }

  decide(occurrence: Occurrence, naming: EventNaming): EventDecision {
    const { occurrence: combined, key, isCombined } = this.#combine(occurrence);
    const known = this.#known.get(key);
    const next: KnownEvent =
      known === undefined
        ? {
            name: toEventName(combined.object.name, naming.nanos, naming.spareName),
            count: 1,
            firstAtMs: combined.atMs,
          }
        : { ...known, count: known.count + 1 };
    this.#known.set(key, next);
    if (!this.#isAllowed(combined)) return { kind: 'drop' };
    const event = toApiEvent(combined, { ...next, nodeName: this.#nodeName, isCombined });
    return { kind: known === undefined ? 'create' : 'count', event };
  }

  #combine(occurrence: Occurrence): { occurrence: Occurrence; key: string; isCombined: boolean } {
    const { message, atMs } = occurrence;
    const similarKey = toSimilarKey(occurrence);
    const { similar, isCombined } = combineEvent(this.#similar.get(similarKey), message, atMs);
    this.#similar.set(similarKey, similar);
    if (!isCombined) return { occurrence, key: toSameKey(occurrence), isCombined };
    const combined = { ...occurrence, message: COMBINED_PREFIX + message };
    return { occurrence: combined, key: similarKey, isCombined };
  }

  #isAllowed(occurrence: Occurrence): boolean {
    const key = toAllowanceKey(occurrence);
    const allowance = this.#allowances.get(key) ?? new TokenBucket(EVENT_ALLOWANCE, occurrence.atMs);
    this.#allowances.set(key, allowance);
    return allowance.tryTake(occurrence.atMs);
  }
}
