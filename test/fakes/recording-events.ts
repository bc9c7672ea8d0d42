/** An event recorder that keeps what it was told. */
import type {
  ClaimEvent,
  ClaimEventRecorder,
  EventRecorder,
  NodeEvent,
  NodeEventRecorder,
  PodEvent,
} from '../../src/ports/event-recorder.ts';

export class RecordingEvents implements EventRecorder, NodeEventRecorder, ClaimEventRecorder {
  readonly events: PodEvent[] = [];
  readonly nodeEvents: NodeEvent[] = [];
  readonly claimEvents: ClaimEvent[] = [];

  record(event: PodEvent): void {
    this.events.push(event);
  }

  recordNode(event: NodeEvent): void {
    this.nodeEvents.push(event);
  }

  recordClaim(event: ClaimEvent): void {
    this.claimEvents.push(event);
  }

  /** Reasons in order, of all pods or of one. */
  reasons(podUid?: string): string[] {
    return this.events
      .filter((event) => podUid === undefined || event.pod.metadata.uid === podUid)
      .map((event) => event.reason);
  }
}
