/**
 * What the probes and hooks of a pod excuse: a hook that does not end holds
 * up everything after it, a probe that fails asks for a restart, and both
 * take their time.
 */
import type { Container, Probe } from '../../src/core/api/pod.ts';
import { containersOf } from '../../src/core/model/pod-containers.ts';
import type { FakeContainer } from '../fakes/fake-machine.ts';
import type { PodModel } from './pod-model.ts';
import type { Purpose, Script } from './script-book.ts';
import { newestOf } from './settled.ts';
import type { World } from './world.ts';

/** Reads, calls and events on the way from an answer to what follows from it. */
const SLACK_MS = 10_000;

/** True while a hook of a container keeps the pod from going on. */
export function isHeldUp(world: World, { uid, pod }: PodModel): boolean {
  return containersOf(pod).some(({ name, lifecycle }) => {
    if (lifecycle?.postStart === undefined) return false;
    const script = world.scripts.scriptOf(uid, name, 'postStart') ?? 'slow-4000';
    const newest = newestOf(world, uid, name);
    if (newest?.startedAtMs === undefined) return false;
    const hookEndsAtMs =
      script === 'hangs' ? Number.POSITIVE_INFINITY : newest.startedAtMs + msOf(script) + SLACK_MS;
    // A hook ends with its container, and what waited for it begins after that.
    const goesOnAtMs = (newest.finishedAtMs ?? Number.POSITIVE_INFINITY) + SLACK_MS;
    return world.nowMs < Math.min(hookEndsAtMs, goesOnAtMs);
  });
}

/** A sidecar that has not started yet: what comes after it waits. */
export function isStarting({ truth }: World, { startupProbe }: Container, instance: FakeContainer): boolean {
  return startupProbe !== undefined && !truth.hasStarted(instance.id);
}

/** Why an instance that runs should not any more; undefined when it may. */
export function whyNotEnded(
  world: World,
  model: PodModel,
  container: Container,
  instance: FakeContainer,
): string | undefined {
  const { livenessProbe, startupProbe } = container;
  const graceMs = (model.pod.spec.terminationGracePeriodSeconds ?? 0) * 1000 + 2_000;
  if (startupProbe !== undefined && !world.truth.hasStarted(instance.id)) {
    const script = scriptOf(world, model, container, 'startup');
    const isBad = script === 'fails-0' || script === 'hangs';
    return isBad && isPast(world, instance, 0, failureMs(startupProbe) + graceMs)
      ? 'its startup probe failed'
      : undefined;
  }
  if (livenessProbe === undefined) return undefined;
  const script = scriptOf(world, model, container, 'liveness');
  const isBad = script === 'hangs' || script?.startsWith('fails') === true;
  if (!isBad) return undefined;
  const startupMs =
    startupProbe === undefined
      ? 0
      : failureMs(startupProbe) + msOf(scriptOf(world, model, container, 'startup'));
  const dueMs = startupMs + msOf(script);
  return isPast(world, instance, dueMs, failureMs(livenessProbe) + graceMs)
    ? 'its liveness probe failed'
    : undefined;
}

/** Whether a running instance is to be shown as ready; undefined when either is correct. */
export function expectedReady(
  world: World,
  model: PodModel,
  container: Container,
  instance: FakeContainer,
): boolean | undefined {
  const { readinessProbe, startupProbe } = container;
  const startupMs =
    startupProbe === undefined
      ? 0
      : failureMs(startupProbe) + msOf(scriptOf(world, model, container, 'startup'));
  if (startupProbe !== undefined && !world.truth.hasStarted(instance.id)) return false;
  if (!isPast(world, instance, startupMs, 0)) return undefined;
  if (readinessProbe === undefined) return true;
  const script = scriptOf(world, model, container, 'readiness');
  if (script === undefined || script === 'flaky') return undefined;
  const ms = msOf(script);
  const isGood = script === 'steady' || script.startsWith('late');
  const waitMs = isGood ? successMs(readinessProbe) : failureMs(readinessProbe);
  return isPast(world, instance, startupMs + ms, waitMs) ? isGood : undefined;
}

function scriptOf(
  { scripts }: World,
  { uid }: PodModel,
  { name }: Container,
  purpose: Purpose,
): Script | undefined {
  return scripts.scriptOf(uid, name, purpose);
}

/** Whether an agent that ran all the time would have had the time to see it. */
function isPast(world: World, { startedAtMs = 0 }: FakeContainer, dueMs: number, waitMs: number): boolean {
  return world.nowMs > Math.max(startedAtMs + dueMs, world.agentStartedAtMs) + waitMs + SLACK_MS;
}

const msOf = (script: Script | undefined): number => Number(script?.split('-')[1] ?? 0);

function failureMs({
  periodSeconds = 10,
  failureThreshold = 3,
  timeoutSeconds = 1,
  initialDelaySeconds = 0,
}: Probe): number {
  return (initialDelaySeconds + (failureThreshold + 1) * (periodSeconds + timeoutSeconds)) * 1000;
}

function successMs({
  periodSeconds = 10,
  successThreshold = 1,
  timeoutSeconds = 1,
  initialDelaySeconds = 0,
}: Probe): number {
  return (initialDelaySeconds + (successThreshold + 1) * (periodSeconds + timeoutSeconds)) * 1000;
}
