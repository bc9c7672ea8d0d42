/**
 * Small pods and runtime facts for the tests of this folder; nothing else
 * imports it. Defaults describe one plain container of an API pod that never
 * ran, so a test states only what it is about.
 */
import type { Container, Pod, PodSpec } from '../../src/core/api/pod.ts';
import type { ContainerState, ContainerStatus, PodStatus } from '../../src/core/api/pod-status.ts';
import { RESTART_COUNT_ANNOTATION } from '../../src/core/model/container-labels.ts';
import { type PodUid, toContainerId, toPodUid, toSandboxId } from '../../src/core/model/ids.ts';
import type {
  ContainerDetails,
  ObservedContainer,
  ObservedPod,
  ObservedSandbox,
} from '../../src/core/model/observed-pod.ts';
import type { ProbeKind, ProbeOutcome, ProbeResults } from '../../src/core/model/probe-results.ts';
import type { StatusInput } from '../../src/core/status/compute-pod-status.ts';

export const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5);
export const NOW = '2026-01-02T03:04:05Z';
export const UID = toPodUid('uid-1');

/** Of a pod without probes. */
export const noProbeResults: ProbeResults = { get: () => undefined };

/** A pod unknown to the runtime. */
export function emptyPod(uid: PodUid): ObservedPod {
  return { uid, sandboxes: [], containers: [] };
}

export function samplePod(
  spec: Partial<PodSpec> = {},
  rest: { metadata?: Partial<Pod['metadata']>; status?: PodStatus } = {},
): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default', uid: UID, generation: 1, ...rest.metadata },
    spec: { containers: [{ name: 'main', image: 'app:1' }], ...spec },
    ...(rest.status === undefined ? {} : { status: rest.status }),
  };
}

export function sidecar(name: string, more: Partial<Container> = {}): Container {
  return { name, image: 'side:1', restartPolicy: 'Always', ...more };
}

export function details(more: Partial<ContainerDetails> = {}): ContainerDetails {
  return { reason: '', message: '', logPath: '', mounts: [], ...more };
}

export interface InstanceOptions {
  readonly id?: string;
  readonly count?: number;
  readonly createdAtMs?: number;
  readonly sandbox?: string;
  readonly details?: Partial<ContainerDetails>;
}

export function instance(
  name: string,
  state: ObservedContainer['state'],
  options: InstanceOptions = {},
): ObservedContainer {
  return {
    id: toContainerId(options.id ?? `${name}-1`),
    podUid: UID,
    sandboxId: toSandboxId(options.sandbox ?? 'sandbox-1'),
    name,
    state,
    createdAtMs: options.createdAtMs ?? NOW_MS - 5_000,
    image: 'docker.io/library/app:1',
    imageId: 'sha256:abc',
    labels: {},
    annotations: { [RESTART_COUNT_ANNOTATION]: String(options.count ?? 0) },
    details: details({ startedAtMs: options.createdAtMs ?? NOW_MS - 5_000, ...options.details }),
  };
}

/** An instance that ended with the given code. */
export function exited(name: string, exitCode: number, options: InstanceOptions = {}): ObservedContainer {
  return instance(name, 'exited', {
    ...options,
    details: {
      exitCode,
      reason: exitCode === 0 ? 'Completed' : 'Error',
      finishedAtMs: NOW_MS - 1_000,
      ...options.details,
    },
  });
}

export function sandbox(more: Partial<ObservedSandbox> = {}): ObservedSandbox {
  return {
    id: toSandboxId('sandbox-1'),
    podUid: UID,
    podName: 'web',
    podNamespace: 'default',
    attempt: 0,
    ready: true,
    createdAtMs: NOW_MS - 6_000,
    labels: {},
    annotations: {},
    runtimeHandler: '',
    network: { mode: 'pod', reported: true, ips: ['10.0.0.7'] },
    ...more,
  };
}

export function observe(
  containers: readonly ObservedContainer[],
  sandboxes: readonly ObservedSandbox[] = [sandbox()],
): ObservedPod {
  return { uid: UID, sandboxes, containers };
}

/** A published container status. */
export function published(
  name: string,
  state: ContainerState,
  more: Partial<ContainerStatus> = {},
): ContainerStatus {
  return { name, state, lastState: {}, ready: false, restartCount: 0, image: 'app:1', imageID: '', ...more };
}

export const RUNNING: ContainerState = { running: { startedAt: '2026-01-02T03:00:00Z' } };
export const WAITING: ContainerState = { waiting: { reason: 'ContainerCreating' } };
export const ended = (exitCode: number, reason = exitCode === 0 ? 'Completed' : 'Error'): ContainerState => ({
  terminated: { exitCode, reason },
});

/** Probe results from a table of `kind/id`. */
export function probeResults(table: Readonly<Record<string, ProbeOutcome>>): ProbeResults {
  return { get: (kind: ProbeKind, id) => table[`${kind}/${id}`] };
}

export function statusInput(more: Partial<StatusInput> = {}): StatusInput {
  return {
    pod: samplePod(),
    observed: observe([]),
    previous: undefined,
    ended: false,
    waitingReasons: new Map(),
    probes: noProbeResults,
    terminationMessages: new Map(),
    runtimeName: 'containerd',
    hostIps: ['192.168.0.2'],
    nowMs: NOW_MS,
    agentStartedAtMs: NOW_MS - 60_000,
    deadlineExceeded: false,
    qosClass: 'BestEffort',
    ...more,
  };
}
