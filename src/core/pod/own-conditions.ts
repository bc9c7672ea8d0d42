/** The condition types of a pod that only the kubelet writes. */
import { RESTARTING_ALL_CONDITION } from './restart-all.ts';

export const RESIZE_CONDITIONS: ReadonlySet<string> = new Set(['PodResizePending', 'PodResizeInProgress']);

const OWNED: ReadonlySet<string> = new Set([
  'PodScheduled',
  'Ready',
  'Initialized',
  'ContainersReady',
  'PodReadyToStartContainers',
  ...RESIZE_CONDITIONS,
  RESTARTING_ALL_CONDITION,
]);

/** True for condition types only the kubelet writes. */
export function isOwnCondition(type: string): boolean {
  return OWNED.has(type);
}
