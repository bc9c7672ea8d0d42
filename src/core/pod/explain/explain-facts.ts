/**
 * Everything an explanation of a pod may look at: the plan its worker acts
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
  /** Why no worker looks after the pod yet. */
  readonly held?: 'predecessor' | 'runtime-unread' | 'undecided';
  /** The last pass of its worker. */
  readonly last?: { readonly facts: PodFacts; readonly plan: PodPlan };
  /** The step under way. */
  readonly activity?: ExplainActivity;
  /** A pass that came to nothing, such as a runtime that does not answer. */
  readonly setback?: { readonly message: string; readonly atMs: number; readonly retryAtMs: number };
  readonly status: PodStatus | undefined;
  /** What happened to the pod lately, oldest first. */
  readonly events: readonly ExplainEvent[];
  readonly nowMs: number;
}

export interface ExplainActivity {
  readonly step: string;
  readonly sinceMs: number;
  readonly action?: Action;
  /** Others that start before it. */
  readonly queuedBehind?: number;
  /** The image that is being pulled for the container. */
  readonly pulls?: string;
  /** That pull waits for others to end. */
  readonly pullQueued?: boolean;
}

export interface ExplainEvent {
  readonly reason: string;
  readonly message: string;
  readonly fieldPath?: string;
  readonly atMs: number;
}
