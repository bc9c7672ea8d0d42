/**
 * The status of a pod, computed from what is wanted, what runs and what was
 * published before. It stands between the worker's reading of the runtime and
 * the status reporter. Pure and idempotent: the same input gives the same
 * status, also when fed its own output. Restart counts never fall, a terminal
 * phase is never left.
 */
import type { Container, Pod } from '../api/pod.ts';
import type { ContainerStatus, PodCondition, PodPhase, PodQosClass, PodStatus } from '../api/pod-status.ts';
import type { GrantedResources } from '../model/granted-resources.ts';
import type { ContainerId } from '../model/ids.ts';
import { newestInstance, type ObservedPod } from '../model/observed-pod.ts';
import type { ProbeResults } from '../model/probe-results.ts';
import type { WaitingReason } from '../model/start-failure.ts';
import { isRestartingAll } from '../pod/restart-all.ts';
import { computeConditions } from './conditions.ts';
import {
  type ContainerStatuses,
  type ContainerStatusFacts,
  computeContainerStatuses,
} from './container-statuses.ts';
import { computePhase, hasActiveRegular, isTerminalPhase } from './phase.ts';
import { computeAddresses } from './pod-addresses.ts';
import type { PodLevelStatus } from './pod-level-resources.ts';
import { type ReadinessFacts, withInitReadiness, withReadiness } from './readiness.ts';
import { withLastingFacts } from './status-guards.ts';

const DEADLINE_REASON = 'DeadlineExceeded';
const DEADLINE_MESSAGE = 'Pod was active on the node longer than the specified deadline';

/** What an eviction, preemption or node shutdown writes into the status. */
export interface StatusOverride {
  readonly phase: PodPhase;
  readonly reason: string;
  readonly message: string;
  /** Usually DisruptionTarget; the time of its transition is set here. */
  readonly conditions?: readonly PodCondition[];
  /** It yields to the phase of a pod whose containers all ended with 0. */
  readonly unlessSucceeded?: boolean;
}

export interface StatusInput {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  /** What was published last; without one the API's status is used. */
  readonly previous: PodStatus | undefined;
  /** Everything of the pod has stopped permanently. */
  readonly ended: boolean;
  /** Container name to why it is not started. */
  readonly waitingReasons: ReadonlyMap<string, WaitingReason>;
  readonly probes: ProbeResults;
  /** What ended instances wrote themselves, already chosen between file and log. */
  readonly terminationMessages: ReadonlyMap<ContainerId, string>;
  readonly runtimeName: string;
  /** The node's addresses, primary first. */
  readonly hostIps: readonly string[];
  readonly nowMs: number;
  readonly agentStartedAtMs: number;
  /** The pod is ended because of its active deadline: not ready from then on, failed once it has ended. */
  readonly deadlineExceeded: boolean;
  readonly override?: StatusOverride | undefined;
  readonly qosClass: PodQosClass;
  /** What is in force of the resources the pod was granted, which are those of the pod given. */
  readonly actuated?: GrantedResources | undefined;
  /** The health of devices, by container. */
  readonly resourceHealth?: ContainerStatusFacts['resourceHealth'];
  /** PodResizePending and PodResizeInProgress while they apply. */
  readonly resizeConditions?: readonly PodCondition[];
  /** The resources of the pod as a whole to publish in this phase. */
  readonly toPodLevel?: (phase: PodPhase) => PodLevelStatus;
  readonly supportsRecursiveReadOnly?: boolean;
  readonly reportStopSignal?: boolean;
}

export function computePodStatus(input: StatusInput): PodStatus {
  const { pod, observed, nowMs, ended, override, resizeConditions } = input;
  const old = input.previous ?? pod.status;
  // A pod that has ended is not restarted any more, even if a restart was announced.
  const restartingAll = !ended && !isTerminalPhase(old?.phase) && isRestartingAll(pod, observed, old);
  const statuses = fillReadiness(input, old, computeContainerStatuses({ ...input, old, restartingAll }));
  const verdict = computeVerdict(input, old, statuses);
  const status: PodStatus = {
    ...verdict,
    conditions: computeConditions({
      pod,
      observed,
      old,
      phase: input.deadlineExceeded && !isTerminalPhase(verdict.phase) ? 'Failed' : verdict.phase,
      statuses,
      restartingAll,
      ended,
      nowMs,
      ...(resizeConditions === undefined ? {} : { resize: resizeConditions }),
      ...(override?.conditions === undefined ? {} : { added: override.conditions }),
    }),
    ...computeAddresses(pod, observed, old, input.hostIps),
    ...(statuses.init.length > 0 && { initContainerStatuses: statuses.init }),
    ...(statuses.regular.length > 0 && { containerStatuses: statuses.regular }),
    ...(statuses.ephemeral.length > 0 && { ephemeralContainerStatuses: statuses.ephemeral }),
    qosClass: pod.status?.qosClass ?? input.qosClass,
    ...input.toPodLevel?.(verdict.phase),
  };
  return withLastingFacts(pod, old, status, nowMs);
}

type Verdict = Pick<PodStatus, 'reason' | 'message'> & { readonly phase: PodPhase };

/** Phase with its reason. A phase that was terminal before wins over everything but the API's own. */
function computeVerdict(
  input: StatusInput,
  old: PodStatus | undefined,
  statuses: ContainerStatuses,
): Verdict {
  const { pod, observed, ended, deadlineExceeded, override } = input;
  const api = pod.status;
  if (isTerminalPhase(api?.phase)) {
    const same = old?.phase === api.phase ? old : undefined;
    return toVerdict(api.phase, same?.reason || api.reason, same?.message || api.message);
  }
  if (isTerminalPhase(old?.phase)) return toVerdict(old.phase, old.reason, old.message);
  const counted = computePhase({ pod, statuses, ended, hasActiveRegular: hasActiveRegular(pod, observed) });
  if (override !== undefined && !(override.unlessSucceeded === true && counted === 'Succeeded'))
    return toVerdict(override.phase, override.reason, override.message);
  if (deadlineExceeded && ended) return toVerdict('Failed', DEADLINE_REASON, DEADLINE_MESSAGE);
  // Ephemeral containers count for no phase, but while one runs nothing has ended.
  const phase =
    isTerminalPhase(counted) && observed.containers.some(({ state }) => state === 'running')
      ? (old?.phase ?? 'Running')
      : counted;
  if (phase !== old?.phase) return toVerdict(phase, undefined, undefined);
  return toVerdict(phase, old.reason || api?.reason, old.message || api?.message);
}

function toVerdict(phase: PodPhase, reason: string | undefined, message: string | undefined): Verdict {
  return {
    phase,
    ...(reason === undefined || reason === '' ? {} : { reason }),
    ...(message === undefined || message === '' ? {} : { message }),
  };
}

function fillReadiness(
  input: StatusInput,
  old: PodStatus | undefined,
  statuses: ContainerStatuses,
): ContainerStatuses {
  const { pod, observed, probes, agentStartedAtMs } = input;
  const facts: ReadinessFacts = { probes, old, agentStartedAtMs };
  const fill = (
    containers: readonly Container[] | undefined,
    published: readonly ContainerStatus[] | undefined,
    computed: readonly ContainerStatus[],
    apply: typeof withReadiness,
  ) =>
    computed.map((status) => {
      const container = containers?.find(({ name }) => name === status.name);
      if (container === undefined) return status;
      return apply(facts, {
        container,
        status,
        instance: newestInstance(observed, status.name),
        published: published?.find(({ name }) => name === status.name),
      });
    });
  return {
    ...statuses,
    init: fill(pod.spec.initContainers, old?.initContainerStatuses, statuses.init, withInitReadiness),
    regular: fill(pod.spec.containers, old?.containerStatuses, statuses.regular, withReadiness),
  };
}
