/**
 * Kubernetes events. Standalone they go to the log, otherwise to the API server.
 * Recording never fails and never blocks.
 */
import type { EventSubject } from '../core/events/event-subject.ts';
import type { EventText } from '../core/model/event-text.ts';

export interface RecordedEvent extends EventText {
  readonly about: EventSubject;
}

export interface EventRecorder {
  record(event: RecordedEvent): void;
}
