/**
 * Events without an API server: each becomes one log line with the same
 * reason and text it would have in the cluster.
 */
import type { Logger } from '../base/log.ts';
import { podRef } from '../core/api/pod-identity.ts';
import type { EventRecorder, PodEvent } from '../ports/event-recorder.ts';

export class LogEventRecorder implements EventRecorder {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  record({ pod, fieldPath, type, reason, message }: PodEvent): void {
    const fields = { pod: podRef(pod), podUid: pod.metadata.uid, object: fieldPath, reason, message };
    if (type === 'Warning') this.#logger.warn('event', fields);
    else this.#logger.info('event', fields);
  }
}
