/** Manifests that the node does not run, as clients of the local socket read them: `/rejected` and as events. */
import type { RememberedEvent } from '../../core/events/remembered-event.ts';
import type { Rejection } from '../../core/manifest/rejection.ts';
import { toApiTime } from '../../core/status/api-time.ts';
import type { EventListing } from './event-list.ts';

/** What the listing reads: any memory of rejected manifests. */
export interface RejectedListing {
  list(): readonly (Rejection & { readonly sinceMs: number })[];
  subscribe(listener: () => void): Disposable;
}

/** One rejected document as clients read it. */
export interface ListedRejection extends Rejection {
  readonly since: string;
}

export interface RejectedList {
  readonly nodeName: string;
  readonly items: readonly ListedRejection[];
}

export function toRejectedList(rejected: Pick<RejectedListing, 'list'>, nodeName: string): RejectedList {
  const items = rejected
    .list()
    .map(({ sinceMs, ...rejection }) => ({ ...rejection, since: toApiTime(sinceMs) }));
  return { nodeName, items };
}

/** The events that are remembered and, as long as it is so, one for each rejected document. */
export function withRejected(
  events: EventListing,
  rejected: RejectedListing,
  nodeName: string,
): EventListing {
  return {
    list: () =>
      [...events.list(), ...rejected.list().map((one) => toEvent(one, nodeName))].toSorted(
        (a, b) => a.lastAtMs - b.lastAtMs,
      ),
    subscribe: (listener) => {
      const both = [events.subscribe(listener), rejected.subscribe(listener)];
      return {
        [Symbol.dispose]: () => {
          for (const one of both) one[Symbol.dispose]();
        },
      };
    },
  };
}

function toEvent(rejection: Rejection & { readonly sinceMs: number }, nodeName: string): RememberedEvent {
  const { subject, file, line, why, sinceMs } = rejection;
  const place = line === undefined ? file : `${file}:${line}`;
  const isPod = subject?.kind === 'Pod';
  const what = isPod || subject === undefined ? '' : `${subject.kind} ${subject.namespace}/${subject.name}: `;
  return {
    object: isPod
      ? { apiVersion: 'v1', kind: 'Pod', namespace: subject.namespace, name: subject.name }
      : { apiVersion: 'v1', kind: 'Node', name: nodeName },
    type: 'Warning',
    reason: 'Rejected',
    message: `${place}: ${what}${why}`,
    count: 1,
    firstAtMs: sinceMs,
    lastAtMs: sinceMs,
  };
}
