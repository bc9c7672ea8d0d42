/**
 * Turns wanted starts into actions, or into waiting where a crash loop or an
 * earlier failure delays a container. A waiting container delays no other.
 */
import type { StartContainer } from '../model/actions.ts';
import type { ObservedSandbox } from '../model/observed-pod.ts';
import type { PodMember } from '../model/pod-containers.ts';
import { isDue, toWaitingReason, type WaitingReason } from '../model/start-failure.ts';
import { decideCrashLoop } from './crash-loop.ts';
import type { PodFacts } from './pod-facts.ts';

export interface StartPlan {
  /** In the order of `members`. */
  readonly actions: readonly StartContainer[];
  readonly waiting: ReadonlyMap<string, WaitingReason>;
  /** When a waiting container may be retried, or its status changes. */
  readonly wakeUps: readonly number[];
}

export function planStarts(
  facts: PodFacts,
  sandbox: ObservedSandbox,
  members: readonly PodMember[],
): StartPlan {
  const actions: StartContainer[] = [];
  const waiting = new Map<string, WaitingReason>();
  const wakeUps: number[] = [];
  for (const member of members) {
    const { container } = member;
    const failure = facts.startFailures.get(container.name);
    const crashLoop = decideCrashLoop(facts, container);
    if (crashLoop.kind === 'wait') {
      waiting.set(container.name, crashLoop.waiting);
      wakeUps.push(crashLoop.untilMs);
    } else if (failure !== undefined && !isDue(failure, facts.nowMs)) {
      const { changesAtMs, ...reason } = toWaitingReason(failure, container.image ?? '', facts.nowMs);
      waiting.set(container.name, reason);
      wakeUps.push(Math.min(changesAtMs ?? failure.retryAtMs, failure.retryAtMs));
    } else {
      actions.push(toStart(member, sandbox, crashLoop.remember));
    }
  }
  return { actions, waiting, wakeUps };
}

function toStart(
  { container, role }: PodMember,
  sandbox: ObservedSandbox,
  backOff: StartContainer['backOff'],
): StartContainer {
  const start = {
    kind: 'start-container' as const,
    container,
    role,
    sandboxId: sandbox.id,
    sandboxAttempt: sandbox.attempt,
  };
  return backOff === undefined ? start : { ...start, backOff };
}
