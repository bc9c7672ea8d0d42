/**
 * Records when the steps of each pod's life began and ended, in memory and bounded (core/timeline). It looks on from
 * the side: it listens to the records and statuses of pods, and stands around the functions that act and pull. Nothing
 * is decided from it.
 */
import type { Clock } from '../../base/async/clock.ts';
import { whenAborted } from '../../base/async/when-aborted.ts';
import type { PodStatus } from '../../core/api/pod-status.ts';
import type { Action } from '../../core/model/actions.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { PodUid } from '../../core/model/ids.ts';
import { type OpenStep, StepList } from '../../core/timeline/step-list.ts';
import { type TimelineStep, toMark, toMarks } from '../../core/timeline/timeline-step.ts';
import type { DesiredPods } from '../desired/desired-pods.ts';
import type { ImagePuller } from '../image/image-puller.ts';
import type { PerformAction } from '../pod/perform-action.ts';
import type { StatusBoard } from '../pod/status-board.ts';

export interface PodTimelinesParts {
  readonly clock: Clock;
  readonly desired: Pick<DesiredPods, 'records'>;
  readonly board: Pick<StatusBoard, 'published'>;
}

export interface PodTimeline {
  readonly seenAtMs: number;
  readonly steps: readonly TimelineStep[];
  /** Steps between the first and the last that are no longer known. */
  readonly leftOut: number;
}

interface Kept {
  readonly seenAtMs: number;
  readonly steps: StepList;
  admission: OpenStep | undefined;
  ending: boolean;
  status: PodStatus | undefined;
  /** By container: the start under way. */
  readonly starts: Map<string, OpenStep>;
}

const STEP_NAMES: Readonly<Partial<Record<Action['kind'], string>>> = {
  'mount-volumes': 'volumes',
  'create-sandbox': 'sandbox',
  'start-container': 'start',
  'stop-containers': 'stop',
};

export class PodTimelines {
  readonly name = 'pod timelines';
  readonly #parts: PodTimelinesParts;
  readonly #kept = new Map<PodUid, Kept>();

  constructor(parts: PodTimelinesParts) {
    this.#parts = parts;
  }

  /** Undefined for an unknown pod. */
  read(uid: PodUid): PodTimeline | undefined {
    const kept = this.#kept.get(uid);
    if (kept === undefined) return undefined;
    return { seenAtMs: kept.seenAtMs, steps: kept.steps.list(), leftOut: kept.steps.leftOut };
  }

  async run(stop: AbortSignal): Promise<void> {
    const { desired, board } = this.#parts;
    using _records = desired.records.subscribe((uid, record) => {
      // One that never had a worker gets no `podGone`.
      if (record === undefined) this.#kept.delete(uid);
      else this.#onRecord(record);
    });
    using _statuses = board.published.subscribe((uid, published) => this.#onStatus(uid, published?.status));
    for (const record of desired.records.values()) this.#onRecord(record);
    await whenAborted(stop);
  }

  podGone({ uid }: Pick<DesiredPod, 'uid'>): void {
    this.#kept.delete(uid);
  }

  /** The same function, with every action recorded. */
  watchActions(perform: PerformAction): PerformAction {
    return async (action, context) => {
      const kept = this.#kept.get(context.record.uid);
      if (kept === undefined) return perform(action, context);
      const about = toAbout(action);
      const what = STEP_NAMES[action.kind] ?? action.kind.replaceAll('-', ' ');
      const step = kept.steps.begin(what, about, this.#parts.clock.now());
      if (action.kind === 'start-container') kept.starts.set(action.container.name, step);
      let problem: string | undefined = 'cut short';
      try {
        const result = await perform(action, context);
        problem = result.kind === 'failed' ? result.reason : undefined;
        return result;
      } finally {
        step.end(this.#parts.clock.now(), problem);
        if (action.kind === 'start-container') kept.starts.delete(action.container.name);
      }
    };
  }

  /** The same puller, with every image recorded. */
  watchPulls(puller: Pick<ImagePuller, 'ensure'>): Pick<ImagePuller, 'ensure'> {
    const ensure: ImagePuller['ensure'] = async (request) => {
      const kept = this.#kept.get(request.uid);
      if (kept === undefined) return puller.ensure(request);
      const step = kept.steps.begin('image', request.image, this.#parts.clock.now());
      let problem: string | undefined = 'cut short';
      try {
        const answer = await puller.ensure(request);
        problem = answer.ok ? undefined : answer.reason;
        return answer;
      } finally {
        const nowMs = this.#parts.clock.now();
        step.end(nowMs, problem);
        kept.starts.get(request.container ?? '')?.restartAt(nowMs);
      }
    };
    return { ensure };
  }

  #onRecord(record: DesiredPod): void {
    const kept = this.#kept.get(record.uid) ?? this.#keep(record.uid);
    const nowMs = this.#parts.clock.now();
    if (record.undecided !== true) {
      const isRejected = record.termination?.cause === 'rejected';
      kept.admission?.end(nowMs, isRejected ? record.termination?.verdict?.reason : undefined);
      kept.admission = undefined;
    }
    if (record.termination === undefined || kept.ending) return;
    kept.ending = true;
    kept.steps.mark(toMark('ending', nowMs, record.termination.cause));
  }

  #keep(uid: PodUid): Kept {
    const seenAtMs = this.#parts.clock.now();
    const steps = new StepList();
    const admission = steps.begin('admission', undefined, seenAtMs);
    const kept = { seenAtMs, steps, admission, ending: false, status: undefined, starts: new Map() };
    this.#kept.set(uid, kept);
    return kept;
  }

  #onStatus(uid: PodUid, status: PodStatus | undefined): void {
    const kept = this.#kept.get(uid);
    if (kept === undefined || status === undefined) return;
    for (const mark of toMarks(kept.status, status, this.#parts.clock.now())) kept.steps.mark(mark);
    kept.status = status;
  }
}

function toAbout(action: Action): string | undefined {
  switch (action.kind) {
    case 'start-container':
      return action.container.name;
    case 'remove-container':
      return action.name;
    case 'stop-containers':
      return action.stops.map(({ name }) => name).join(', ');
    default:
      return undefined;
  }
}
