/**
 * Events without an API server: each becomes one log line with the same
 * reason and text it would have in the cluster.
 */
import type { LogFields, Logger } from '../../base/log.ts';
import { podRef } from '../../core/api/pod-identity.ts';
import type { EventSubject } from '../../core/events/event-subject.ts';
import { toContainerFieldPath } from '../../core/model/field-path.ts';
import type { EventRecorder, RecordedEvent } from '../../ports/event-recorder.ts';

export class LogEventRecorder implements EventRecorder {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  record({ about, type, reason, message }: RecordedEvent): void {
    const fields = { ...toFields(about), reason, message };
    if (type === 'Warning') this.#logger.warn('event', fields);
    else this.#logger.info('event', fields);
  }
}

function toFields(about: EventSubject): LogFields {
  if (about === 'node') return { object: 'node' };
  if ('claim' in about) {
    const { namespace, name } = about.claim.metadata;
    return { object: `claim ${namespace}/${name}` };
  }
  if ('persistentVolume' in about) return { object: `volume ${about.persistentVolume.metadata.name}` };
  const { pod, container } = about;
  const object = container === undefined ? undefined : toContainerFieldPath(pod, container);
  return { pod: podRef(pod), podUid: pod.metadata.uid, object };
}
