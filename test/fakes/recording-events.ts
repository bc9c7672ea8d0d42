/** An event recorder that keeps what was recorded, apart by what it is about. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../src/core/api/persistent-volume.ts';
import type { Pod } from '../../src/core/api/pod.ts';
import { toEventObject } from '../../src/core/events/event-subject.ts';
import type { EventText } from '../../src/core/model/event-text.ts';
import type { EventRecorder, RecordedEvent } from '../../src/ports/event-recorder.ts';

export interface PodEvent extends EventText {
  readonly pod: Pod;
  /** Such as `spec.containers{web}`; absent for the pod itself. */
  readonly fieldPath?: string;
}

export class RecordingEvents implements EventRecorder {
  readonly events: PodEvent[] = [];
  readonly nodeEvents: EventText[] = [];
  readonly volumeEvents: (EventText & { readonly persistentVolume: PersistentVolume })[] = [];
  readonly claimEvents: (EventText & { readonly claim: PersistentVolumeClaim })[] = [];

  record({ about, ...text }: RecordedEvent): void {
    if (about === 'node') this.nodeEvents.push(text);
    else if ('persistentVolume' in about)
      this.volumeEvents.push({ persistentVolume: about.persistentVolume, ...text });
    else if ('claim' in about) this.claimEvents.push({ claim: about.claim, ...text });
    else {
      const { fieldPath } = toEventObject(about, '');
      this.events.push({ pod: about.pod, ...(fieldPath === undefined ? {} : { fieldPath }), ...text });
    }
  }

  /** Reasons in order, of all pods or of one. */
  reasons(podUid?: string): string[] {
    return this.events
      .filter((event) => podUid === undefined || event.pod.metadata.uid === podUid)
      .map((event) => event.reason);
  }
}
