/** What the views show of one pod, computed once: its row, whether all is well, and why not. */
import type { Pod } from '../../../core/api/pod.ts';
import type { Explanation } from '../../../core/pod/explain/explanation.ts';
import { type PodRowFacts, toRowFacts } from '../../../core/status/pod-row.ts';
import { type ListedPod, type PodListing, toPodList } from '../../pods/pod-list.ts';

/** How a state looks: a colour and a sign beside its words. */
export type Tone = 'good' | 'done' | 'busy' | 'warn' | 'bad';

export interface ViewedPod {
  readonly pod: ListedPod;
  readonly row: PodRowFacts;
  readonly tone: Tone;
  /** Undefined for a pod that is ready or has completed. */
  readonly explanation: Explanation | undefined;
}

interface FactSource {
  readonly pods: PodListing;
  /** Undefined for a pod that has just gone. */
  readonly explain: (pod: Pod) => Explanation | undefined;
}

/** By namespace and name. */
export function readViewedPods(source: FactSource): ViewedPod[] {
  const pods = toPodList(source.pods).items ?? [];
  return pods.map((pod) => toViewedPod(pod, source)).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

export function toViewedPod(pod: ListedPod, { explain }: FactSource): ViewedPod {
  const isFine = isReady(pod) && pod.metadata.deletionTimestamp === undefined;
  const explanation = isFine ? undefined : explain(pod as Pod);
  const row = toRowFacts(pod, explanation?.state === 'ending');
  const isDone = pod.status.phase === 'Succeeded';
  const tone = isFine ? 'good' : isDone ? 'done' : toTone(explanation, row.status);
  const isExplained = explanation !== undefined && !isDone && explanation.state !== 'ready';
  return { pod, row, tone, explanation: isExplained ? explanation : undefined };
}

function toTone(explanation: Explanation | undefined, status: string): Tone {
  switch (explanation?.state) {
    case undefined:
    case 'ready':
    case 'working':
    case 'ending':
      return 'busy';
    case 'waiting':
      return /BackOff|Err|Failed|OOM|Unknown|Invalid/.test(status) ? 'bad' : 'warn';
    case 'ended':
    case 'rejected':
      return 'bad';
  }
}

function isReady({ status: { conditions = [] } }: ListedPod): boolean {
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

function keyOf({ pod: { metadata } }: ViewedPod): string {
  return `${metadata.namespace}/${metadata.name}/${metadata.uid}`;
}
