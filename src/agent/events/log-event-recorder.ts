/**
 * Events without an API server: each becomes one log line with the same
 * reason and text it would have in the cluster.
 */
import type { LogFields, Logger } from '../../base/log.ts';
import { podRef } from '../../core/api/pod-identity.ts';
import type {
  ClaimEvent,
  ClaimEventRecorder,
  EventRecorder,
  NodeEvent,
  NodeEventRecorder,
  PodEvent,
} from '../../ports/event-recorder.ts';

export class LogEventRecorder implements EventRecorder, NodeEventRecorder, ClaimEventRecorder {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  record({ pod, fieldPath, type, reason, message }: PodEvent): void {
    this.#write(type, { pod: podRef(pod), podUid: pod.metadata.uid, object: fieldPath, reason, message });
  }

  recordNode({ type, reason, message }: NodeEvent): void {
    this.#write(type, { object: 'node', reason, message });
  }

  recordClaim({ claim: { metadata }, type, reason, message }: ClaimEvent): void {
    this.#write(type, { object: `claim ${metadata.namespace}/${metadata.name}`, reason, message });
  }

  #write(type: NodeEvent['type'], fields: LogFields): void {
    if (type === 'Warning') this.#logger.warn('event', fields);
    else this.#logger.info('event', fields);
  }
}
