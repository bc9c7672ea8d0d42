/**
 * The progress of a pod's resize, as the conditions and events of the API
 * report it. Pending: the spec requests what the node has not granted yet.
 * In progress: granted, but not all of it in force.
 *
 *   asked ──► pending (Deferred) ──► in progress ──► done
 *      └────► pending (Infeasible)       └─ Error ──► in progress
 *
 * Invariant: a condition keeps the generation of the spec it describes, also
 * when the pod has a newer one.
 */
import type { Pod, ResourceList, ResourceRequirements } from '../api/pod.ts';
import type { PodCondition } from '../api/pod-status.ts';

export interface PendingResize {
  readonly reason: 'Deferred' | 'Infeasible';
  readonly message: string;
  readonly generation: number;
}

export interface ResizeProgress {
  readonly generation: number;
  /** Why the last attempt failed; gone only with the resize. */
  readonly error?: string;
}

export interface ResizeState {
  readonly pending?: PendingResize;
  readonly progress?: ResizeProgress;
}

const PENDING = 'PodResizePending';
const IN_PROGRESS = 'PodResizeInProgress';

/** The conditions to publish, without their times. */
export function toResizeConditions({ pending, progress }: ResizeState): PodCondition[] {
  const conditions: PodCondition[] = [];
  if (pending !== undefined) {
    const { reason, message, generation } = pending;
    conditions.push({ type: PENDING, status: 'True', reason, message, observedGeneration: generation });
  }
  if (progress !== undefined) {
    const { generation, error } = progress;
    conditions.push({
      type: IN_PROGRESS,
      status: 'True',
      observedGeneration: generation,
      ...(error !== undefined && { reason: 'Error', message: error }),
    });
  }
  return conditions;
}

/** What a previous run of the agent published. */
export function readResizeState({ status }: Pod): ResizeState {
  const find = (wanted: string): PodCondition | undefined =>
    status?.conditions?.find(({ type, status: value }) => type === wanted && value === 'True');
  const pending = find(PENDING);
  const progress = find(IN_PROGRESS);
  return {
    ...(pending !== undefined && {
      pending: {
        reason: pending.reason === 'Infeasible' ? 'Infeasible' : 'Deferred',
        message: pending.message ?? '',
        generation: pending.observedGeneration ?? 0,
      },
    }),
    ...(progress !== undefined && {
      progress: {
        generation: progress.observedGeneration ?? 0,
        ...(progress.reason === 'Error' && { error: progress.message ?? '' }),
      },
    }),
  };
}

/** The text of a resize event: what it is about, as JSON behind `what`. */
export function renderResizeEvent(what: string, pod: Pod, generation: number, error = ''): string {
  const summarize = (list: Pod['spec']['containers'] = []): object[] =>
    list.map(({ name, resources = {} }) => ({ name, resources: toPlain(resources) }));
  const { initContainers, containers } = pod.spec;
  const summary = {
    ...(initContainers !== undefined && initContainers.length > 0
      ? { initContainers: summarize(initContainers) }
      : {}),
    containers: summarize(containers),
    generation,
    ...(error === '' ? {} : { error }),
  };
  return `Pod resize ${what}: ${escapeHtml(JSON.stringify(summary))}`;
}

function toPlain({ limits, requests, claims }: ResourceRequirements): ResourceRequirements {
  return {
    ...(isEmpty(limits) ? {} : { limits: sorted(limits) }),
    ...(isEmpty(requests) ? {} : { requests: sorted(requests) }),
    ...(claims === undefined ? {} : { claims }),
  };
}

function sorted(list: ResourceList): ResourceList {
  return Object.fromEntries(Object.entries(list).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isEmpty(list: ResourceList | undefined): list is undefined {
  return list === undefined || Object.keys(list).length === 0;
}

/** As other kubelets print JSON. */
function escapeHtml(json: string): string {
  const code = (character: string): string => character.charCodeAt(0).toString(16).padStart(4, '0');
  return json.replace(/[<>&\u2028\u2029]/g, (character) => `\\u${code(character)}`);
}
