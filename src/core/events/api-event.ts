/**
 * An Event as it is stored at the API server, made from what was recorded.
 * Only the parts that a node writes.
 */
import { subdomainFaults } from '../api/validate-name.ts';
import type { EventText, EventType } from '../model/event-text.ts';
import { toApiTime } from '../status/api-time.ts';

export interface EventObjectReference {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod' | 'Node' | 'PersistentVolumeClaim' | 'PersistentVolume';
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

/** What happened, to what, and when: an event before it has a name and a count. */
export interface Occurrence extends EventText {
  readonly object: EventObjectReference;
  readonly atMs: number;
}

export interface ApiEvent {
  readonly apiVersion: 'v1';
  readonly kind: 'Event';
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly annotations?: EventText['annotations'];
  };
  readonly involvedObject: EventObjectReference;
  readonly reason: string;
  readonly message: string;
  readonly type: EventType;
  readonly source: { readonly component: string; readonly host: string };
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly count: number;
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
}

const COMPONENT = 'kubelet';
/** Where events of objects without a namespace are kept. */
const DEFAULT_NAMESPACE = 'default';

/** `<object>.<hex>`, or `spare` when that cannot be the name of an object. */
export function toEventName(objectName: string, nanos: bigint, spare: string): string {
  const name = `${objectName}.${nanos.toString(16)}`;
  return subdomainFaults(name).next().done === true ? name : spare;
}

export interface EventPlace {
  readonly name: string;
  readonly nodeName: string;
  readonly count: number;
  readonly firstAtMs: number;
  /** Combines several events: then it has no reporting instance. */
  readonly isCombined: boolean;
}

export function toApiEvent(occurrence: Occurrence, place: EventPlace): ApiEvent {
  const { object, type, reason, message, annotations, atMs } = occurrence;
  const { name, nodeName, count, firstAtMs, isCombined } = place;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name,
      namespace: object.namespace ?? DEFAULT_NAMESPACE,
      ...(annotations === undefined ? {} : { annotations }),
    },
    involvedObject: object,
    reason,
    message,
    type,
    source: { component: COMPONENT, host: nodeName },
    firstTimestamp: toApiTime(firstAtMs),
    lastTimestamp: toApiTime(atMs),
    count,
    ...(isCombined ? {} : { reportingComponent: COMPONENT, reportingInstance: nodeName }),
  };
}
