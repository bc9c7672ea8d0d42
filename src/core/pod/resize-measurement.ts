/**
 * What is worth counting about resizes, and how a change of resources is
 * called in the metrics.
 */
import type { Pod } from '../api/pod.ts';
import { containersOf } from '../model/pod-containers.ts';
import { type ResourceAmount, toAmount } from '../resources/resource-amount.ts';

/** What made the node look again at a resize that waited. */
export type ResizeTrigger =
  | 'periodic_retry'
  | 'pod_resized'
  | 'pod_updated'
  | 'pods_added'
  | 'pods_removed'
  | 'pod_terminated';

export interface ResizeRequest {
  readonly resource: 'cpu' | 'memory';
  readonly requirement: 'limits' | 'requests';
  readonly operation: 'add' | 'remove' | 'increase' | 'decrease';
}

export type ResizeMeasurement =
  | ({ readonly kind: 'requested' } & ResizeRequest)
  | { readonly kind: 'infeasible'; readonly detail: string }
  /** Granted after it had to wait. */
  | { readonly kind: 'accepted'; readonly trigger: ResizeTrigger }
  | { readonly kind: 'performed'; readonly ok: boolean; readonly durationMs: number }
  /** How many pods wait, and how many are being resized. */
  | {
      readonly kind: 'state';
      readonly deferred: number;
      readonly infeasible: number;
      readonly inProgress: number;
    };

const AMOUNTS: readonly (readonly [keyof ResourceAmount, Omit<ResizeRequest, 'operation'>])[] = [
  ['memoryRequest', { resource: 'memory', requirement: 'requests' }],
  ['memoryLimit', { resource: 'memory', requirement: 'limits' }],
  ['cpuRequest', { resource: 'cpu', requirement: 'requests' }],
  ['cpuLimit', { resource: 'cpu', requirement: 'limits' }],
];

/** The changes between two versions of a pod, container by container. */
export function toResizeRequests(before: Pod, after: Pod): ResizeRequest[] {
  const known = new Map(containersOf(before).map(({ name, resources }) => [name, toAmount(resources)]));
  return containersOf(after).flatMap(({ name, resources }) => {
    const from = known.get(name);
    if (from === undefined) return [];
    const to = toAmount(resources);
    return AMOUNTS.flatMap(([key, about]) => {
      const operation = toOperation(from[key], to[key]);
      return operation === undefined ? [] : [{ ...about, operation }];
    });
  });
}

function toOperation(from: number, to: number): ResizeRequest['operation'] | undefined {
  if (from === to) return undefined;
  if (from === 0) return 'add';
  if (to === 0) return 'remove';
  return to > from ? 'increase' : 'decrease';
}
