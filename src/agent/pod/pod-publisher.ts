/**
 * Turns one pass of a worker into the pod's status, publishes it when it is
 * news, and writes the one log line and event each transition deserves.
 */
import type { Pod } from '../../core/api/pod.ts';
import { describePod, isStatic, podRef } from '../../core/api/pod-identity.ts';
import type { PodStatus } from '../../core/api/pod-status.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { ContainerId } from '../../core/model/ids.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { hasRunning, type ObservedPod } from '../../core/model/observed-pod.ts';
import { allContainersOf } from '../../core/model/pod-containers.ts';
import type { WaitingReason } from '../../core/model/start-failure.ts';
import { computeStartMs, DEADLINE_VERDICT } from '../../core/pod/active-deadline.ts';
import type { PodFacts, PodPlan } from '../../core/pod/pod-facts.ts';
import { computeQosClass } from '../../core/resources/qos.ts';
import { toApiTime } from '../../core/status/api-time.ts';
import { computePodStatus, type StatusInput } from '../../core/status/compute-pod-status.ts';
import { findBackOffs, summarizeStatus } from '../../core/status/describe-status.ts';
import { computePodLevelStatus } from '../../core/status/pod-level-resources.ts';
import { isSameBasis, type StatusBasis, toStatusBasis } from '../../core/status/status-basis.ts';
import { decideStatusUpdate, type StatusUpdate } from '../../core/status/status-guards.ts';
import type { Kit } from '../../ports/kit.ts';
import type { PodResizer } from '../resources/pod-resizer.ts';
import type { PublishedStatus, StatusBoard } from './status-board.ts';
import type { TerminationMessages } from './termination-messages.ts';

export interface PodPublisherParts {
  readonly kit: Pick<Kit, 'events' | 'logger'>;
  readonly board: StatusBoard;
  readonly messages: TerminationMessages;
  readonly runtimeName: () => string;
  readonly hostIps: () => readonly string[];
  readonly node: NodeProfile;
  readonly agentStartedAtMs: number;
  /** How far the resize of a pod has come. */
  readonly resizer: Pick<PodResizer, 'conditions'>;
}

interface PublishContext {
  readonly waiting: ReadonlyMap<string, WaitingReason>;
  readonly messages: ReadonlyMap<ContainerId, string>;
  readonly ended: boolean;
  readonly previous: PodStatus | undefined;
}

export class PodPublisher {
  readonly #parts: PodPublisherParts;
  /** What each published status was last computed from. */
  readonly #bases = new WeakMap<PublishedStatus, StatusBasis>();

  constructor(parts: PodPublisherParts) {
    this.#parts = parts;
  }

  /** What ended containers left to say; read once per container. */
  readMessages(observed: ObservedPod): Promise<ReadonlyMap<ContainerId, string>> {
    return this.#parts.messages.read(observed);
  }

  /** When the pod began: its active deadline counts from then. */
  computeStartMs({ uid, pod }: DesiredPod, observed: ObservedPod, nowMs: number): number {
    return computeStartMs(pod, this.#parts.board.published.get(uid)?.status, observed, nowMs);
  }

  /** `waiting` says for each container that should run why it does not. */
  publish(
    record: DesiredPod,
    facts: PodFacts,
    waiting: ReadonlyMap<string, WaitingReason>,
    messages: ReadonlyMap<ContainerId, string>,
  ): void {
    if (record.source === 'runtime') return;
    const { board } = this.#parts;
    const last = board.published.get(record.uid);
    const ended = facts.termination !== undefined && !hasRunning(facts.observed);
    const input = this.#gatherInput(record, facts, { waiting, messages, ended, previous: last?.status });
    const basis = toStatusBasis(input, [
      facts.termination,
      record.termination,
      facts.startedAtMs,
      facts.resize?.gates,
      facts.resourceHealth?.size === 0 ? undefined : facts.resourceHealth,
    ]);
    if (this.#isSettled(record, last, basis)) return;
    const computed = computePodStatus({ ...input, qosClass: computeQosClass(record.pod) });
    const status = toPublished(record, facts, last?.status, computed);
    this.#apply(record, last, decideStatusUpdate(record.pod, last?.status, status, facts.nowMs), {
      ended,
      basis,
    });
  }

  #gatherInput(
    { uid, pod }: DesiredPod,
    facts: PodFacts,
    { waiting, messages, ended, previous }: PublishContext,
  ): Omit<StatusInput, 'qosClass'> {
    const { runtimeName, hostIps, node, agentStartedAtMs, resizer } = this.#parts;
    // A terminal phase is published only when nothing runs any more.
    const verdict = ended ? facts.termination?.verdict : undefined;
    return {
      pod,
      observed: facts.observed,
      previous,
      ended,
      waitingReasons: waiting,
      probes: facts.probes,
      terminationMessages: messages,
      runtimeName: runtimeName(),
      hostIps: hostIps(),
      nowMs: facts.nowMs,
      agentStartedAtMs,
      deadlineExceeded: facts.termination?.verdict?.reason === DEADLINE_VERDICT.reason,
      override: verdict && { phase: 'Failed', ...verdict },
      reportStopSignal: node.features('ContainerStopSignals'),
      supportsRecursiveReadOnly: hasDeepReadOnly(facts, node),
      resizeConditions: resizer.conditions(uid),
      ...toPodLevel(pod, facts, node),
      resourceHealth: facts.resourceHealth,
      actuated: facts.resize?.actuated,
    };
  }

  /** The status that is published was computed from the same. Of a pod that is being deleted every pass counts. */
  #isSettled({ pod }: DesiredPod, last: PublishedStatus | undefined, basis: StatusBasis): boolean {
    const before = last === undefined ? undefined : this.#bases.get(last);
    if (before === undefined || pod.metadata.deletionTimestamp !== undefined) return false;
    return isSameBasis(before, basis);
  }

  #apply(
    { uid, pod }: DesiredPod,
    last: PublishedStatus | undefined,
    update: StatusUpdate,
    { ended, basis }: { readonly ended: boolean; readonly basis: StatusBasis },
  ): void {
    const { board, kit } = this.#parts;
    if (update.kind === 'illegal') {
      kit.logger.warn('status not published', { pod: podRef(pod), podUid: uid, err: update.why });
      return;
    }
    if (update.kind === 'publish') {
      board.publish(uid, { pod, status: update.status, mayRun: !ended });
      this.#logTransition(pod, last?.status, update.status);
      this.#recordBackOff(pod, last?.status, update.status);
    } else if (last?.mayRun === ended) {
      board.publish(uid, { ...last, mayRun: !ended });
    }
    const published = board.published.get(uid);
    if (published !== undefined) this.#bases.set(published, basis);
  }

  /** Records what a decision has to say to the user of the pod. */
  recordEvents({ pod, source }: DesiredPod, events: PodPlan['events'] = []): void {
    if (source !== 'runtime')
      for (const event of events) this.#parts.kit.events.record({ about: { pod }, ...event });
  }

  #logTransition(pod: Pod, previous: PodStatus | undefined, status: PodStatus): void {
    const before = previous === undefined ? undefined : summarizeStatus(previous);
    const now = summarizeStatus(status);
    if (before === now) return;
    const fields = { pod: podRef(pod), podUid: pod.metadata.uid, static: isStatic(pod) || undefined };
    this.#parts.kit.logger.info('pod status', { ...fields, state: now, ip: status.podIP });
  }

  /** Entering a back-off is worth one event, not one per pass. */
  #recordBackOff(pod: Pod, previous: PodStatus | undefined, status: PodStatus): void {
    const before = new Map(findBackOffs(previous).map(({ name, waiting }) => [name, waiting]));
    for (const { name, waiting } of findBackOffs(status)) {
      const { reason, message: text } = before.get(name) ?? {};
      if (reason === waiting.reason && text === waiting.message) continue;
      const isPull = waiting.reason === 'ImagePullBackOff';
      const message = isPull
        ? `Back-off pulling image "${imageOf(pod, name)}"`
        : `Back-off restarting failed container ${name} in pod ${describePod(pod)}`;
      const about = { pod, container: name };
      const type = isPull ? 'Normal' : 'Warning';
      const { events } = this.#parts.kit;
      events.record({ about, type, reason: 'BackOff', message });
      if (isPull)
        events.record({
          about,
          type: 'Warning',
          reason: 'Failed',
          message: 'Error: ImagePullBackOff',
        });
    }
  }
}

function toPodLevel(pod: Pod, { resize }: PodFacts, node: NodeProfile): Pick<StatusInput, 'toPodLevel'> {
  if (resize === undefined) return {};
  const { actuated, gates } = resize;
  return { toPodLevel: (phase) => computePodLevelStatus(pod, actuated, phase, gates, node) };
}

/** As the user wrote it. */
function imageOf(pod: Pod, name: string): string {
  return allContainersOf(pod).find((container) => container.name === name)?.image ?? '';
}

/** Whether the runtime handler that the pod has can make mounts read-only all the way down. */
function hasDeepReadOnly({ observed }: PodFacts, node: Pick<NodeProfile, 'runtimeHandlers'>): boolean {
  const handler = observed.sandboxes[0]?.runtimeHandler ?? '';
  return node.runtimeHandlers().some(({ name, recursiveReadOnlyMounts }) => {
    return name === handler && recursiveReadOnlyMounts;
  });
}

/** Of a pod that was refused before anything ran nothing is known but that. */
function toPublished(
  { pod, termination }: DesiredPod,
  { observed, startedAtMs }: PodFacts,
  previous: PodStatus | undefined,
  computed: PodStatus,
): PodStatus {
  const startTime = (previous ?? pod.status)?.startTime ?? toApiTime(startedAtMs);
  const ranHere = observed.sandboxes.length + observed.containers.length > 0;
  if (termination?.cause !== 'rejected' || ranHere)
    return computed.startTime === startTime ? computed : { ...computed, startTime };
  const { phase, reason, message, qosClass } = computed;
  return Object.fromEntries(
    Object.entries({ phase, reason, message, qosClass, startTime }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}
