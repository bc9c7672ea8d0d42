/** `get pods`: the table and its wide form. */

import { toPodRow } from '../../../core/status/pod-row.ts';
import type { PodExplanation } from '../../../server/pods/explain-route.ts';
import type { CliPod } from '../ask/choose-pod.ts';

export interface PodTableOptions {
  readonly wide: boolean;
  readonly withNamespace: boolean;
  readonly nowMs: number;
  /** By uid. */
  readonly explanations: ReadonlyMap<string, PodExplanation>;
}

export function podTitles({
  wide,
  withNamespace,
}: Pick<PodTableOptions, 'wide' | 'withNamespace'>): string[] {
  return [
    ...(withNamespace ? ['NAMESPACE'] : []),
    ...['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE'],
    ...(wide ? ['IP', 'NODE', 'WAITING FOR'] : []),
  ];
}

export function toPodCells(pod: CliPod, options: PodTableOptions): string[] {
  const { metadata, spec, status } = pod;
  const explained = options.explanations.get(metadata.uid);
  const { ready, status: state, restarts, age } = toPodRow(pod, options.nowMs, explained?.state === 'ending');
  const waitsFor =
    explained?.state === 'waiting' || explained?.state === 'ending' ? explained.waitsFor : undefined;
  return [
    ...(options.withNamespace ? [metadata.namespace] : []),
    ...[metadata.name, ready, state, restarts, age],
    ...(options.wide ? [status?.podIP ?? '<none>', spec.nodeName ?? '<none>', waitsFor ?? '<none>'] : []),
  ];
}

/** By namespace, then by name. */
export function comparePods(a: CliPod, b: CliPod): number {
  const key = ({ metadata }: CliPod): string => `${metadata.namespace}/${metadata.name}`;
  return key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
}
