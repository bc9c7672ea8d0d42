/**
 * Labels and annotations the kubelet writes on sandboxes and containers, and
 * how they are read back. After a restart they are the agent's memory, so the
 * keys and values are exactly upstream's.
 */
import type { ObservedContainer } from './observed-pod.ts';

export const POD_NAME_LABEL = 'io.kubernetes.pod.name';
export const POD_NAMESPACE_LABEL = 'io.kubernetes.pod.namespace';
export const POD_UID_LABEL = 'io.kubernetes.pod.uid';
export const CONTAINER_NAME_LABEL = 'io.kubernetes.container.name';

export const HASH_ANNOTATION = 'io.kubernetes.container.hash';
export const RESTART_COUNT_ANNOTATION = 'io.kubernetes.container.restartCount';
export const TERMINATION_MESSAGE_PATH_ANNOTATION = 'io.kubernetes.container.terminationMessagePath';
export const TERMINATION_MESSAGE_POLICY_ANNOTATION = 'io.kubernetes.container.terminationMessagePolicy';
export const PRE_STOP_ANNOTATION = 'io.kubernetes.container.preStopHandler';
export const PORTS_ANNOTATION = 'io.kubernetes.container.ports';
export const DELETION_GRACE_ANNOTATION = 'io.kubernetes.pod.deletionGracePeriod';
export const TERMINATION_GRACE_ANNOTATION = 'io.kubernetes.pod.terminationGracePeriod';

/** The restart count an instance was created with; missing or broken counts as 0. */
export function readRestartCount(container: ObservedContainer): number {
  return readCount(container.annotations[RESTART_COUNT_ANNOTATION]) ?? 0;
}

/** The spec hash an instance was created with; missing counts as "0". */
export function readHash(container: ObservedContainer): string {
  return container.annotations[HASH_ANNOTATION] ?? '0';
}

/** The grace of the pod at the time the instance was created, for a kill without a spec. */
export function readTerminationGrace(container: ObservedContainer): number | undefined {
  return readCount(container.annotations[TERMINATION_GRACE_ANNOTATION]);
}

function readCount(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}
