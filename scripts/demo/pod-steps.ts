/**
 * The way of a pod to Ready as a short list of steps, computed from what the
 * kubelet logs (images) and serves (status). Pure: the view prints it.
 */
import type { ContainerStatus } from '../../src/core/api/pod-status.ts';
import type { ListedPod, LogLine } from './kubelet-process.ts';

export type StepState = 'waiting' | 'doing' | 'done' | 'failed';

export interface Step {
  readonly name: string;
  readonly state: StepState;
  readonly text: string;
}

/** `lines` are the log lines about this pod; `pod` is undefined until the kubelet lists it. */
export function toPodSteps(pod: ListedPod | undefined, lines: readonly LogLine[]): Step[] {
  const steps: Step[] = [toImageStep(lines), toSandboxStep(pod)];
  for (const { name, restartPolicy } of pod?.spec.initContainers ?? []) {
    const isSidecar = restartPolicy === 'Always';
    steps.push(toContainerStep(isSidecar ? 'sidecar' : 'init', name, pod, isSidecar));
  }
  for (const { name } of pod?.spec.containers ?? []) steps.push(toContainerStep('running', name, pod, true));
  const ready = hasCondition(pod, 'Ready');
  steps.push({
    name: 'ready',
    state: ready ? 'done' : 'waiting',
    text: ready ? `pod is ready at ${pod?.status.podIP}` : '',
  });
  return steps;
}

/** Why the pod is not ready, in one sentence; undefined when nothing is wrong that the status knows of. */
export function describeTrouble(pod: ListedPod | undefined): string | undefined {
  if (pod === undefined) return 'the kubelet does not list the pod';
  const { phase, reason, message } = pod.status;
  if (phase === 'Failed' || phase === 'Succeeded')
    return `the pod ended (${[phase, reason, message].filter(Boolean).join(': ')})`;
  for (const { name, state } of statuses(pod)) {
    const { waiting } = state;
    if (waiting?.reason !== undefined && !IN_PROGRESS.has(waiting.reason))
      return `container "${name}" waits: ${[waiting.reason, waiting.message].filter(Boolean).join(': ')}`;
  }
  return undefined;
}

/** Waiting reasons of a start that is simply under way. */
const IN_PROGRESS: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

function toImageStep(lines: readonly LogLine[]): Step {
  const events = lines.filter(
    ({ msg, reason }) => msg === 'event' && (reason === 'Pulling' || reason === 'Pulled'),
  );
  const last = events.at(-1);
  if (last === undefined) return { name: 'image', state: 'waiting', text: '' };
  const images = new Set(events.map(({ message }) => /"([^"]+)"/.exec(String(message))?.[1]));
  const state = last['reason'] === 'Pulled' ? 'done' : 'doing';
  return { name: 'image', state, text: [...images].join(', ') };
}

function toSandboxStep(pod: ListedPod | undefined): Step {
  const made = hasCondition(pod, 'PodReadyToStartContainers') || pod?.status.podIP !== undefined;
  if (made) return { name: 'sandbox', state: 'done', text: `network ${pod?.status.podIP ?? 'of the host'}` };
  return { name: 'sandbox', state: pod === undefined ? 'waiting' : 'doing', text: '' };
}

function toContainerStep(step: string, name: string, pod: ListedPod | undefined, staysUp: boolean): Step {
  const status = statuses(pod).find((candidate) => candidate.name === name);
  const { running, terminated, waiting } = status?.state ?? {};
  const at = (state: StepState, text: string): Step => ({
    name: step,
    state,
    text: `${name} ${text}`.trim(),
  });
  if (running !== undefined) return at(staysUp ? 'done' : 'doing', staysUp ? 'runs' : 'is at work');
  if (terminated !== undefined) {
    const good = !staysUp && terminated.exitCode === 0;
    return at(good ? 'done' : 'failed', `ended with exit code ${terminated.exitCode}`);
  }
  const reason = waiting?.reason;
  if (reason !== undefined && !IN_PROGRESS.has(reason)) return at('failed', reason);
  return at('waiting', '');
}

function statuses(pod: ListedPod | undefined): readonly ContainerStatus[] {
  return [...(pod?.status.initContainerStatuses ?? []), ...(pod?.status.containerStatuses ?? [])];
}

function hasCondition(pod: ListedPod | undefined, type: string): boolean {
  return (
    pod?.status.conditions?.some((condition) => condition.type === type && condition.status === 'True') ===
    true
  );
}
