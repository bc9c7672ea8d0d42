/**
 * Why and how a pod ends, as data in the desired state. There is one entry point:
 * every cause becomes a Termination, and two of them merge so that the cause
 * only hardens and the grace only shrinks.
 *
 *   wanted ──requestTermination──► terminating ──nothing runs──► terminated ──nothing left──► gone
 *
 * Which of the last three a pod is in is read off the runtime each time, so
 * the order survives a crash of the agent at any point.
 */
import type { Pod } from '../api/pod.ts';
import type { PodCondition } from '../api/pod-status.ts';

export type TerminationCause =
  /** Every container ended for good; what is left stays for its status and logs. */
  | 'completed'
  /** activeDeadlineSeconds passed. */
  | 'deadline'
  /** Refused before anything ran. */
  | 'rejected'
  | 'shutdown'
  | 'preempted'
  | 'evicted'
  /** deletionTimestamp was set by the API server. */
  | 'deleted'
  /** The source no longer has the pod. */
  | 'removed'
  /** The runtime runs it but no source has it. */
  | 'orphaned';

/** Softest first. */
const HARDNESS: readonly TerminationCause[] = [
  'completed',
  'deadline',
  'rejected',
  'shutdown',
  'preempted',
  'evicted',
  'deleted',
  'removed',
  'orphaned',
];

/** Why a pod fails, for its status: published once nothing of it runs any more. */
export interface FailureVerdict {
  readonly reason: string;
  readonly message: string;
  /** For explanations; the status does not have it. */
  readonly note?: string;
  /** Such as DisruptionTarget. */
  readonly conditions?: readonly PodCondition[];
  /** A pod whose containers all end with 0 has succeeded all the same, without a reason. */
  readonly unlessSucceeded?: boolean;
}

/** When a pod was first asked to end. */
export interface TerminationTime {
  /** Wall time, to be shown. */
  readonly requestedAtMs: number;
  /** Steady time: how much of the grace is used does not depend on how the clock is set. */
  readonly countedFromMs?: number;
}

export interface Termination extends TerminationTime {
  readonly cause: TerminationCause;
  /** Of the last request that brought one; without it the containers decide the phase. */
  readonly verdict?: FailureVerdict;
  /** Whole seconds; undefined lets each container use the pod's own grace. */
  readonly graceSeconds?: number;
  /** The source has the pod again: what has ended is kept, and the pod starts as after a restart. */
  readonly returns?: true;
}

export interface TerminationRequest {
  readonly cause: TerminationCause;
  /** Replaces the pod's grace, where the cause brings one. */
  readonly graceSeconds?: number;
  readonly verdict?: FailureVerdict;
}

/**
 * The termination after one more request: harder cause, shorter grace, first time, last verdict (a preemption
 * may turn into an eviction). A pod that was rejected never ran: its verdict stays.
 */
export function mergeTermination(
  pod: Pod,
  current: Termination | undefined,
  request: TerminationRequest,
  at: TerminationTime,
): Termination {
  const cause =
    current === undefined || isHarder(request.cause, current.cause) ? request.cause : current.cause;
  const graceSeconds = mergeGrace(pod, current?.graceSeconds, request);
  const { requestedAtMs, countedFromMs } = current ?? at;
  const verdict = current?.cause === 'rejected' ? current.verdict : (request.verdict ?? current?.verdict);
  return {
    cause,
    requestedAtMs,
    ...(countedFromMs === undefined ? {} : { countedFromMs }),
    ...(graceSeconds === undefined ? {} : { graceSeconds }),
    ...(verdict === undefined ? {} : { verdict }),
  };
}

/**
 * The source, which had removed the pod, has it again. One that does not always restart has nothing to gain from what
 * it left: it would count as ended.
 */
export function toReturning(pod: Pod, termination: Termination): Termination {
  const { cause, returns } = termination;
  const restarts = (pod.spec.restartPolicy ?? 'Always') === 'Always';
  return cause === 'removed' && restarts && returns !== true
    ? { ...termination, returns: true }
    : termination;
}

/** True when `a` leaves less of the pod than `b`. */
export function isHarder(a: TerminationCause, b: TerminationCause): boolean {
  return HARDNESS.indexOf(a) > HARDNESS.indexOf(b);
}

/**
 * True when containers, logs and directories of the pod go once nothing runs. What a preempted pod leaves
 * stays until it is deleted, so that its status stays too.
 */
export function removesContent(cause: TerminationCause): boolean {
  return HARDNESS.indexOf(cause) >= HARDNESS.indexOf('evicted');
}

/**
 * A pod that completed by itself gets no grace of its own: what still runs
 * (sidecars) is stopped with the pod's. Any other request is at least 1 s,
 * which is also what a pod without any grace gets.
 */
function mergeGrace(pod: Pod, current: number | undefined, request: TerminationRequest): number | undefined {
  if (request.cause === 'completed') return current;
  const offers = [current, pod.metadata.deletionGracePeriodSeconds, request.graceSeconds].filter(
    (seconds) => seconds !== undefined,
  );
  const shortest = offers.length > 0 ? Math.min(...offers) : (pod.spec.terminationGracePeriodSeconds ?? 0);
  return Math.max(1, shortest);
}
