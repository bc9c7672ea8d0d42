/** An event recorder that keeps what it was told. */
import type { EventRecorder, PodEvent } from '../../src/ports/event-recorder.ts';

export class RecordingEvents implements EventRecorder {
  readonly events: PodEvent[] = [];

  record(event: PodEvent): void {
    this.events.push(event);
  }

  /** Reasons in order, of all pods or of one. */
  reasons(podUid?: string): string[] {
    return this.events
      .filter((event) => podUid === undefined || event.pod.metadata.uid === podUid)
      .map((event) => event.reason);
  }
}
