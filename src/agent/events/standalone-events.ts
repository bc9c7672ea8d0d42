/**
 * Events of a node without API server: there is no cluster whose DNS pods could miss, so the warning is recorded
 * once, about the node, and not about every pod.
 */
import type { EventRecorder, RecordedEvent } from '../../ports/event-recorder.ts';

const REASON = 'MissingClusterDNS';

export class StandaloneEvents implements EventRecorder {
  readonly #next: EventRecorder;
  #isSaid = false;

  constructor(next: EventRecorder) {
    this.#next = next;
  }

  record(event: RecordedEvent): void {
    if (event.reason === REASON) {
      if (this.#isSaid || event.about !== 'node') return;
      this.#isSaid = true;
    }
    this.#next.record(event);
  }
}
