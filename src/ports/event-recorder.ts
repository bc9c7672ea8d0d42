/**
 * Kubernetes events. Standalone they go to the log, otherwise to the API server.
 * Recording never fails and never blocks.
 */
import type { PersistentVolumeClaim } from '../core/api/persistent-volume.ts';
import type { Pod } from '../core/api/pod.ts';

export interface EventRecorder {
  record(event: PodEvent): void;
}

/** Events of this node. Every recorder implements both; code that records only pod events asks for EventRecorder alone. */
export interface NodeEventRecorder {
  recordNode(event: NodeEvent): void;
}

/** Events of claims: what happened to the volume behind them on this node. */
export interface ClaimEventRecorder {
  recordClaim(event: ClaimEvent): void;
}

export interface PodEvent {
  readonly pod: Pod;
  /** Such as `spec.containers{web}`; absent for the pod itself. */
  readonly fieldPath?: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface NodeEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface ClaimEvent extends NodeEvent {
  readonly claim: PersistentVolumeClaim;
}
