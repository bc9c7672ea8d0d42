/**
 * Facts for the tests of this folder; nothing else imports it. A decision gets
 * one plain pod, a runtime that is fine and no memory, so that a test states
 * only what it is about.
 */
import type { BackOffEntry, BackOffPolicy } from '../../src/base/async/back-off.ts';
import type { Container } from '../../src/core/api/pod.ts';
import type { Action } from '../../src/core/model/actions.ts';
import { computeContainerHash } from '../../src/core/model/container-hash.ts';
import { HASH_ANNOTATION } from '../../src/core/model/container-labels.ts';
import type { ObservedContainer } from '../../src/core/model/observed-pod.ts';
import type { PodFailure } from '../../src/core/model/start-failure.ts';
import type { VolumeFacts } from '../../src/core/model/volume-facts.ts';
import type { PodFacts } from '../../src/core/pod/pod-facts.ts';
import { type InstanceOptions, instance, NOW_MS, noProbeResults, observe, samplePod } from './sample-pods.ts';

export const CRASH_LOOP: BackOffPolicy = {
  initialMs: 10_000,
  maxMs: 300_000,
  factor: 2,
  forgetAfterMs: 600_000,
};

/** Of a pod without a volume that is set up. */
export const NO_VOLUMES: VolumeFacts = { ready: true, held: false };

export function podFacts(more: Partial<PodFacts> = {}): PodFacts {
  return {
    pod: samplePod(),
    observed: observe([]),
    termination: undefined,
    probes: noProbeResults,
    nowMs: NOW_MS,
    startedAtMs: NOW_MS,
    networkProblem: undefined,
    runtimeProblem: undefined,
    volumes: NO_VOLUMES,
    crashLoops: new Map<string, BackOffEntry>(),
    crashLoopPolicy: CRASH_LOOP,
    startFailures: new Map(),
    podFailure: undefined,
    ...more,
  };
}

/** An instance made from the container as the spec has it now. */
export function instanceOf(
  container: Container,
  state: ObservedContainer['state'],
  options: InstanceOptions = {},
): ObservedContainer {
  const made = instance(container.name, state, options);
  return {
    ...made,
    annotations: { ...made.annotations, [HASH_ANNOTATION]: computeContainerHash(container) },
  };
}

/** A failed step that may be tried again 10 s after `failedAtMs`. */
export function podFailure(step: string, failedAtMs: number): PodFailure {
  return { step, message: 'no luck', failedAtMs, retryAtMs: failedAtMs + 10_000 };
}

/** Actions in short: `start main`, `stop main+side`, `create-sandbox 1`, … */
export function inShort(actions: readonly Action[]): string[] {
  return actions.map(describe);
}

function describe(action: Action): string {
  switch (action.kind) {
    case 'start-container':
      return `start ${action.container.name}`;
    case 'stop-containers':
      return `stop ${action.stops.map(({ name }) => name).join('+')}`;
    case 'create-sandbox':
      return `create-sandbox ${action.attempt}`;
    case 'remove-container':
      return `remove ${action.id}`;
    case 'pin-containers':
      return action.pins.map(({ name, cpus }) => `pin ${name} ${cpus}`).join(' ');
    case 'resize-pod':
      return ['resize', ...action.resizes.map(({ container }) => container.name)].join(' ');
    case 'stop-sandbox':
    case 'remove-sandbox':
      return `${action.kind} ${action.sandboxId}`;
    case 'mount-volumes':
    case 'unmount-volumes':
    case 'release-claims':
    case 'release-pod':
      return action.kind;
  }
}
