/**
 * Why one container keeps its pod from being ready, derived from the plan, the
 * facts it was made from and the status that was published with it. Undefined
 * when nothing is wrong with the container.
 */
import type { Container, Probe } from '../../api/pod.ts';
import type { ContainerStatus } from '../../api/pod-status.ts';
import type { ContainerRole } from '../../model/actions.ts';
import { toContainerFieldPath } from '../../model/field-path.ts';
import { newestInstance } from '../../model/observed-pod.ts';
import type { PodMember } from '../../model/pod-containers.ts';
import { exitCodeOf } from '../../model/restart.ts';
import type { StartFailure } from '../../model/start-failure.ts';
import { decideCrashLoop } from '../crash-loop.ts';
import type { ExplainFacts } from './explain-facts.ts';
import { ago, type ExplanationParts } from './explanation.ts';

const DEFAULT_PERIOD_SECONDS = 10;

/** What the start of a container waits for, by the reason its status shows. */
const START_WAITS: Readonly<Record<string, (name: string, image: string) => string>> = {
  ErrImagePull: (name, image) => `the image ${image} of container ${name}`,
  ImagePullBackOff: (name, image) => `the image ${image} of container ${name}`,
  RegistryUnavailable: (name, image) => `the image ${image} of container ${name}`,
  SignatureValidationFailed: (name, image) => `the image ${image} of container ${name}`,
  ErrImageNeverPull: (name, image) => `the image ${image} of container ${name}`,
  ImageInspectError: (name, image) => `the image ${image} of container ${name}`,
  InvalidImageName: (name) => `a valid image name of container ${name}`,
  CreateContainerConfigError: (name) => `what the configuration of container ${name} needs`,
  PostStartHookError: (name) => `the postStart hook of container ${name}`,
};

export function explainContainer(
  facts: ExplainFacts,
  member: PodMember,
  status: ContainerStatus | undefined,
): ExplanationParts | undefined {
  const { container, role } = member;
  const { last, nowMs } = facts;
  if (last?.plan.waiting.has(container.name) === true) {
    const looped = explainCrashLoop(facts, container, status?.restartCount ?? 0);
    if (looped !== undefined) return looped;
    const failure = last.facts.startFailures.get(container.name);
    if (failure !== undefined) return explainStartFailure(container, failure, nowMs);
  }
  if (status?.state.running !== undefined) return explainRunning(facts, member, status);
  const ended = status?.state.terminated;
  if (ended !== undefined && role === 'regular') {
    const atMs = Date.parse(ended.finishedAt ?? '');
    const when = Number.isNaN(atMs) ? '' : ` ${ago(atMs, nowMs)}`;
    return {
      state: 'waiting',
      waitsFor: 'the other containers to end',
      ...(Number.isNaN(atMs) ? {} : { sinceMs: atMs }),
      tried: `container ${quote(container.name)} ended with exit code ${ended.exitCode}${when} and is not started again`,
    };
  }
  if (ended !== undefined) return undefined;
  return { state: 'waiting', waitsFor: `container ${quote(container.name)} to start` };
}

function explainCrashLoop(
  { last, pod, events }: ExplainFacts,
  container: Container,
  restarts: number,
): ExplanationParts | undefined {
  if (last === undefined) return undefined;
  const answer = decideCrashLoop(last.facts, container);
  if (answer.kind !== 'wait') return undefined;
  const ended = last.facts.observed.containers.find(
    ({ name, state }) => name === container.name && state === 'exited',
  );
  const endedAtMs = ended?.details?.finishedAtMs;
  const reason = ended?.details?.reason ?? '';
  const how = reason === '' || reason === 'Error' || reason === 'Completed' ? '' : ` (${reason})`;
  const before = restarts === 0 ? '' : ` after ${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`;
  const killed = findProbeKill(events, toContainerFieldPath(pod, container.name), endedAtMs);
  return {
    state: 'waiting',
    waitsFor: `the restart of container ${quote(container.name)}`,
    ...(endedAtMs === undefined ? {} : { sinceMs: endedAtMs }),
    tried: `${killed}it ended with exit code ${ended === undefined ? 0 : exitCodeOf(ended)}${how}${before}`,
    nextTryAtMs: answer.untilMs,
  };
}

/** How long before its end the probe that ended a container may have failed, beyond any sensible grace. */
const KILL_WINDOW_MS = 600_000;

/** `its liveness probe failed (connection refused) and `, when that is why the container was stopped. */
function findProbeKill(
  events: ExplainFacts['events'],
  path: string | undefined,
  endedAtMs: number | undefined,
): string {
  if (endedAtMs === undefined || path === undefined) return '';
  const about = events.filter(({ fieldPath, atMs }) => fieldPath === path && atMs <= endedAtMs + 1_000);
  const kill = about.findLast(({ reason }) => reason === 'Killing');
  const kind = /failed (liveness|startup) probe/.exec(kill?.message ?? '')?.[1];
  if (kill === undefined || kind === undefined || endedAtMs - kill.atMs > KILL_WINDOW_MS) return '';
  const failed = about.findLast(
    ({ reason, message }) => reason === 'Unhealthy' && message.toLowerCase().startsWith(kind),
  );
  const detail = (failed?.message ?? '').replace(/^\w+ probe \w+:?/, '').trim();
  return `its ${kind} probe failed${detail === '' ? '' : ` (${detail})`}, so it was stopped: `;
}

function explainStartFailure(container: Container, failure: StartFailure, nowMs: number): ExplanationParts {
  const { reason, message, failedAtMs, retryAtMs } = failure;
  const name = quote(container.name);
  const waitsFor = START_WAITS[reason]?.(name, quote(container.image ?? '')) ?? `container ${name} to start`;
  const tried = `${reason} ${ago(failedAtMs, nowMs)}: ${message}`;
  return { state: 'waiting', waitsFor, tried, nextTryAtMs: retryAtMs };
}

function explainRunning(
  facts: ExplainFacts,
  { container, role }: PodMember,
  status: ContainerStatus,
): ExplanationParts | undefined {
  const startedAtMs = Date.parse(status.state.running?.startedAt ?? '');
  const since = Number.isNaN(startedAtMs) ? {} : { sinceMs: startedAtMs };
  const name = quote(container.name);
  if (role === 'init')
    return {
      state: 'waiting',
      waitsFor: `init container ${name} to end`,
      ...since,
      goesOn: 'the next one starts then',
    };
  if (role === 'ephemeral') return undefined;
  if (status.started !== true && container.startupProbe !== undefined)
    return { ...explainProbe(facts, container, role, 'startup', container.startupProbe), ...since };
  if (!status.ready && container.readinessProbe !== undefined)
    return { ...explainProbe(facts, container, role, 'readiness', container.readinessProbe), ...since };
  return undefined;
}

function explainProbe(
  { pod, events, nowMs, last }: ExplainFacts,
  container: Container,
  role: ContainerRole,
  kind: 'startup' | 'readiness',
  probe: Probe,
): ExplanationParts {
  const path = toContainerFieldPath(pod, container.name);
  const bornAtMs =
    last === undefined ? 0 : (newestInstance(last.facts.observed, container.name)?.createdAtMs ?? 0);
  const failed = events.findLast(
    ({ reason, fieldPath, message, atMs }) =>
      reason === 'Unhealthy' &&
      fieldPath === path &&
      message.toLowerCase().startsWith(kind) &&
      atMs >= bornAtMs,
  );
  const period = probe.periodSeconds ?? DEFAULT_PERIOD_SECONDS;
  const what = role === 'sidecar' ? 'sidecar' : 'container';
  return {
    state: 'waiting',
    waitsFor: `the ${kind} probe of ${what} ${quote(container.name)} to succeed`,
    ...(failed === undefined ? {} : { tried: `${failed.message.trim()} (${ago(failed.atMs, nowMs)})` }),
    goesOn: `asked every ${period}s at least`,
  };
}

function quote(text: string): string {
  return JSON.stringify(text);
}
