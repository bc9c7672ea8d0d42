/**
 * Gathers what is known about a pod at this moment and explains it. Only
 * reads: the worker's last plan, its step, the published status, and who
 * stands before it at the start gate.
 */
import type { Clock } from '../../base/async/clock.ts';
import type { Gate } from '../../base/async/gate.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { ExplainActivity, ExplainEvent } from '../../core/pod/explain/explain-facts.ts';
import { explainPod } from '../../core/pod/explain/explain-pod.ts';
import type { Explanation } from '../../core/pod/explain/explanation.ts';
import type { DesiredPods } from '../desired/desired-pods.ts';
import type { ImagePuller } from '../image/image-puller.ts';
import type { RuntimeMonitor } from '../runtime/runtime-monitor.ts';
import type { PodActivity } from './pod-activity.ts';
import type { PodSupervisor } from './pod-supervisor.ts';
import { startRank } from './start-rank.ts';
import type { StatusBoard } from './status-board.ts';

export interface PodExplainerParts {
  readonly desired: Pick<DesiredPods, 'records'>;
  readonly board: Pick<StatusBoard, 'published'>;
  readonly supervisor: Pick<PodSupervisor, 'worker' | 'heldBy'>;
  readonly gate: Pick<Gate, 'waitingBefore'>;
  readonly puller: Pick<ImagePuller, 'pullState'>;
  readonly monitor: Pick<RuntimeMonitor, 'absence'>;
  readonly clock: Clock;
}

export class PodExplainer {
  readonly #parts: PodExplainerParts;

  constructor(parts: PodExplainerParts) {
    this.#parts = parts;
  }

  /** Undefined for an unknown pod. `events` are those of the pod, oldest first. */
  explain(uid: PodUid, events: readonly ExplainEvent[]): Explanation | undefined {
    const { desired, board, supervisor, monitor, clock } = this.#parts;
    const record = desired.records.get(uid);
    if (record === undefined) return undefined;
    const worker = supervisor.worker(uid);
    const activity = worker?.activity;
    return explainPod({
      pod: record.pod,
      termination: record.termination,
      status: board.published.get(uid)?.status,
      absence: monitor.absence,
      events,
      nowMs: clock.now(),
      held: worker === undefined ? supervisor.heldBy(record) : undefined,
      last: worker?.last,
      setback: worker?.setback,
      activity: activity && this.#toActivity(record, activity),
    });
  }

  #toActivity(record: DesiredPod, { step, sinceMs, action }: PodActivity): ExplainActivity {
    const { gate, puller } = this.#parts;
    const queuedBehind = gate.waitingBefore(startRank(record));
    const image = action?.kind === 'start-container' ? action.container.image : undefined;
    const pull = image === undefined ? undefined : puller.pullState(image);
    return {
      step,
      sinceMs,
      action,
      queuedBehind,
      ...(image !== undefined && pull !== undefined ? { pulls: image, pullQueued: pull === 'queued' } : {}),
    };
  }
}
