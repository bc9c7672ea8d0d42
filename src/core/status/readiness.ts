/**
 * `started` and `ready` of a container, from probe results and what was
 * published before. After a restart of the agent there are no results yet:
 * a container that ran before keeps what it was, so readiness does not flap.
 */
import type { Container } from '../api/pod.ts';
import type { ContainerStatus, PodStatus } from '../api/pod-status.ts';
import type { ObservedContainer } from '../model/observed-pod.ts';
import { isSidecar } from '../model/pod-containers.ts';
import type { ProbeResults } from '../model/probe-results.ts';

/** A container this much older than the agent was measured by a previous run. */
const OLDER_THAN_AGENT_MS = 10_000;

export interface ReadinessFacts {
  readonly probes: ProbeResults;
  readonly old: PodStatus | undefined;
  readonly agentStartedAtMs: number;
}

export interface ReadinessSubject {
  readonly container: Container;
  /** The newest instance; undefined when there is none. */
  readonly instance: ObservedContainer | undefined;
  readonly status: ContainerStatus;
  /** What was published for the container before. */
  readonly published: ContainerStatus | undefined;
}

/** The status of a regular container or sidecar with both flags set. */
export function withReadiness(facts: ReadinessFacts, subject: ReadinessSubject): ContainerStatus {
  const started = isStarted(facts, subject);
  return { ...subject.status, started, ready: started && isReady(facts, subject) };
}

/** The status of an init container: a sidecar counts like a regular one, another is ready once it succeeded. */
export function withInitReadiness(facts: ReadinessFacts, subject: ReadinessSubject): ContainerStatus {
  if (isSidecar(subject.container)) return withReadiness(facts, subject);
  const { status } = subject;
  return { ...status, started: isStarted(facts, subject), ready: status.state.terminated?.exitCode === 0 };
}

/** True when the container runs and its start-up probe, if any, has succeeded once. */
function isStarted({ probes }: ReadinessFacts, subject: ReadinessSubject): boolean {
  const { container, instance } = subject;
  if (instance?.state !== 'running') return false;
  const result = probes.get('startup', instance.id);
  if (result !== undefined) return result === 'success';
  if (publishedForInstance(subject)?.started === true) return true;
  return container.startupProbe === undefined;
}

/** Whether a started container is ready; false when it does not run. */
function isReady(facts: ReadinessFacts, subject: ReadinessSubject): boolean {
  const { container, instance } = subject;
  if (instance?.state !== 'running') return false;
  const result = facts.probes.get('readiness', instance.id);
  if (result === 'success' || container.readinessProbe === undefined) return true;
  if (result !== undefined) return false;
  const startedAtMs = instance.details?.startedAtMs ?? instance.createdAtMs;
  if (startedAtMs >= facts.agentStartedAtMs - OLDER_THAN_AGENT_MS) return false;
  return publishedForInstance(subject)?.ready ?? wasReady(facts.old);
}

/** What was published, if it was about this same instance: a new one starts without history. */
function publishedForInstance({ status, published }: ReadinessSubject): ContainerStatus | undefined {
  return published !== undefined && published.containerID === status.containerID ? published : undefined;
}

function wasReady(old: PodStatus | undefined): boolean {
  return old?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
}
