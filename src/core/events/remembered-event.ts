/** An event with its count and times: what the agent keeps, and what its listing shows. */
import type { EventText } from '../model/event-text.ts';
import type { EventObjectReference } from './api-event.ts';

export interface RememberedEvent extends EventText {
  readonly object: EventObjectReference;
  readonly count: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
}
