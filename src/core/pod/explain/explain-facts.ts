/**
 * Everything an explanation of a pod may use: the plan its worker acts
 * on with the facts behind it, the step under way and what was published.
 */
import type { Pod } from '../../api/pod.ts';
import type { PodStatus } from '../../api/pod-status.ts';
import type { Action } from '../../model/actions.ts';
import type { Termination } from '../../model/termination.ts';
import type { PodFacts, PodPlan } from '../pod-facts.ts';

export interface ExplainFacts {
  readonly pod: Pod;
  readonly termination: Termination | undefined;
  /** Why the pod has no worker yet. */
  readonly held?: 'predecessor' | 'runtime-unread' | 'undecided' | undefined;
  /** The last pass of its worker. */
  readonly last?: { readonly facts: PodFacts; readonly plan: PodPlan } | undefined;
  /** The step under way. */
  readonly activity?: ExplainActivity | undefined;
  /** A pass that failed, such as when the runtime does not answer. */
  readonly setback?:
    | { readonly message: string; readonly atMs: number; readonly retryAtMs: number }
    | undefined;
  /** Set while the runtime does not answer: all else is as last seen. */
  readonly absence?: { readonly sinceMs: number; readonly why: string } | undefined;
  readonly status: PodStatus | undefined;
  /** Recent events of the pod, oldest first. */
  readonly events: readonly ExplainEvent[];
  readonly nowMs: number;
}

export interface ExplainActivity {
  readonly step: string;
  readonly sinceMs: number;
  readonly action?: Action | undefined;
  /** Pods queued before it. */
  readonly queuedBehind?: number | undefined;
  /** The image that is being pulled for the container. */
  readonly pulls?: string;
  /** The pull is queued behind others. */
  readonly pullQueued?: boolean;
}

export interface ExplainEvent {
  readonly reason: string;
  readonly message: string;
  readonly fieldPath?: string | undefined;
  readonly atMs: number;
}
