/** An event with how often and when it was heard of: what the agent keeps, and what its listing shows. */
import type { EventObjectReference, EventType } from './api-event.ts';

export interface RememberedEvent {
  readonly object: EventObjectReference;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
}
