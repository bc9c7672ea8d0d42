/**
 * What the agent reports to its metrics. Called often and in the middle of
 * work: an implementation only counts, never waits and never throws.
 */
import type { Pod } from '../core/api/pod.ts';
import type { Action } from '../core/model/actions.ts';
import type { PodUid } from '../core/model/ids.ts';
import type { ProbeKind } from '../core/model/probe-results.ts';
import type { ResizeMeasurement } from '../core/pod/resize-measurement.ts';
import type { AssignmentMeasurement } from '../core/topology/assignment-measurement.ts';

/** Why an action failed. */
export interface ActionFailure {
  readonly reason: string;
  readonly message: string;
}

/** Rare occurrences that are only counted: a hook retried without TLS, a sleep hook cut short. */
export type AgentCount = 'hook-plain-retry' | 'sleep-cut-short';

/** `create` is a worker's first pass, `kill` any pass of a pod that ends. */
export type PassKind = 'create' | 'sync' | 'kill';

export interface MeteredProbe {
  readonly kind: ProbeKind;
  readonly pod: Pod;
  readonly container: string;
}

export interface AgentMeter {
  /** One run of a probe, with what it found. */
  probed(probe: MeteredProbe, result: 'successful' | 'failed' | 'unknown', durationMs: number): void;
  /** One pass of a pod's worker. */
  passed(uid: PodUid, kind: PassKind, durationMs: number): void;
  /** One action of a pod's plan, with what went wrong when it failed. */
  performed(action: Action, failure: ActionFailure | undefined, pod: Pod): void;
  counted(what: AgentCount): void;
  /** One complete listing of the runtime that began at `startedAtMs`, in steady time. */
  relisted(startedAtMs: number, durationMs: number): void;
  /** One reading of a pod from the runtime. */
  podRead(durationMs: number): void;
  /** The stream of runtime events was opened after `durationMs`; undefined when opening it failed. */
  eventsOpened(durationMs: number | undefined): void;
  /** A step in the resize of a pod. */
  resized(measured: ResizeMeasurement): void;
  /** One reading of how full a volume is: by `statfs`, `block` or a storage driver. */
  volumeMeasured(source: string, durationMs: number): void;
  /** A change of a status has reached the API server, so long after it was noticed. */
  statusSynced(durationMs: number): void;
  /** A step in the assignment of CPUs, memory or devices. */
  assigned(measured: AssignmentMeasurement): void;
  /** A device plugin asked to be registered for this resource. */
  deviceRegistered(resource: string): void;
  /** A device plugin has answered an allocation. */
  devicesAllocated(resource: string, durationMs: number): void;
  /** Claims of a pod were made ready or taken back. */
  claimsHandled(
    operation: 'PrepareResources' | 'UnprepareResources',
    failed: boolean,
    durationMs: number,
  ): void;
  /** A pod was evicted for this signal or limit. */
  evicted(signal: string): void;
  /** A pod is chosen for this signal by statistics of this age. */
  evictionStatsUsed(signal: string, ageMs: number): void;
}

/** Counts nothing. */
export const noMeter: AgentMeter = {
  probed: () => {},
  passed: () => {},
  performed: () => {},
  counted: () => {},
  relisted: () => {},
  podRead: () => {},
  eventsOpened: () => {},
  resized: () => {},
  volumeMeasured: () => {},
  statusSynced: () => {},
  assigned: () => {},
  deviceRegistered: () => {},
  devicesAllocated: () => {},
  claimsHandled: () => {},
  evicted: () => {},
  evictionStatsUsed: () => {},
};
