/**
 * Watches the terminations that the node itself decides on (preemption,
 * eviction, shutdown): the node counts on them, so one that takes far longer
 * than its grace is reported as an event of the pod. The termination goes on.
 */

import type { Clock } from '../../base/async/clock.ts';
import { whenAborted } from '../../base/async/when-aborted.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { TerminationCause } from '../../core/model/termination.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { DesiredPods } from '../desired/desired-pods.ts';

const LEAST_WAIT_MS = 10_000;
const DECIDED_HERE: ReadonlySet<TerminationCause> = new Set(['preempted', 'evicted', 'shutdown']);

export interface OverdueKillsParts {
  readonly clock: Clock;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly desired: Pick<DesiredPods, 'records'>;
  /** Nothing of the pod runs any more. */
  readonly hasEnded: (uid: PodUid) => boolean;
}

/** Half as long again as the pod may take, and at least ten seconds. */
export function computeKillPatience(graceSeconds: number): number {
  return Math.max(LEAST_WAIT_MS, graceSeconds * 1_500);
}

/** Runs until `stop` aborts. */
export async function watchOverdueKills(parts: OverdueKillsParts, stop: AbortSignal): Promise<void> {
  const { clock, events, desired, hasEnded } = parts;
  const timers = new Map<PodUid, Disposable | undefined>();
  const onRecord = (uid: PodUid, record: DesiredPod | undefined): void => {
    if (record === undefined) {
      timers.get(uid)?.[Symbol.dispose]();
      timers.delete(uid);
      return;
    }
    const { pod, termination } = record;
    if (termination === undefined || !DECIDED_HERE.has(termination.cause) || timers.has(uid)) return;
    const recordOverdue = (): void => {
      timers.set(uid, undefined);
      if (hasEnded(uid)) return;
      const message = 'Container runtime did not kill the pod within specified grace period.';
      events.record({ about: { pod }, type: 'Warning', reason: 'ExceededGracePeriod', message });
    };
    timers.set(uid, clock.startTimer(computeKillPatience(termination.graceSeconds ?? 0), recordOverdue));
  };
  using _subscription = desired.records.subscribe(onRecord);
  await whenAborted(stop);
  for (const timer of timers.values()) timer?.[Symbol.dispose]();
}
