/** The pods of the agent as its servers show them. */
import type { Agent } from '../../../agent/agent-ports.ts';
import type { RecentEvents } from '../../../agent/events/recent-events.ts';
import type { Pod } from '../../../core/api/pod.ts';
import { toPodUid } from '../../../core/model/ids.ts';
import type { Explanation } from '../../../core/pod/explain/explanation.ts';
import { withDeletion } from '../../../core/status/with-deletion.ts';
import type { PodListing } from '../../../server/pods/pod-list.ts';

/** Those that a source wants; what only the runtime knows is left out. */
export function toPodListing({ desired, board }: Agent): PodListing {
  const wanted = () => [...desired.records.values()].filter(({ source }) => source !== 'runtime');
  return {
    listPods: () => wanted().map(({ pod }) => pod),
    statusOf: (pod) => board.published.get(toPodUid(pod.metadata.uid))?.status,
  };
}

/** Static pods have no API server that marks their deletion; the agent knows when it began. */
export function markDeletion({ desired }: Agent, pod: Pod): Pod {
  const termination = desired.records.get(toPodUid(pod.metadata.uid))?.termination;
  return termination === undefined ? pod : withDeletion(pod, termination);
}

export function explain(
  { explainer }: Agent,
  recent: RecentEvents,
  { metadata: { uid } }: Pod,
): Explanation | undefined {
  const events = recent.list(uid).map(({ object: { fieldPath }, reason, message, lastAtMs }) => ({
    reason,
    message,
    atMs: lastAtMs,
    fieldPath,
  }));
  return explainer.explain(toPodUid(uid), events);
}

export function subscribePods({ desired, board }: Agent, listener: () => void): Disposable {
  const wanted = desired.records.subscribe(listener);
  const published = board.published.subscribe(listener);
  return {
    [Symbol.dispose]: () => {
      wanted[Symbol.dispose]();
      published[Symbol.dispose]();
    },
  };
}
