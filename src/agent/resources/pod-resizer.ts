/**
 * Pods whose spec asks for other resources than they were granted: asks
 * whether the node can grant them, in order, and again whenever a pod comes,
 * goes, ends or gives something back. Also keeps how far each resize has come,
 * for the conditions and events of the API.
 *
 * Invariant: nothing is granted before every source has been seen; a resize
 * that can never be granted is not asked about again until the spec changes.
 */
import { Mailbox } from '../../base/async/mailbox.ts';
import type { Pod } from '../../core/api/pod.ts';
import { podRef } from '../../core/api/pod-identity.ts';
import type { PodCondition } from '../../core/api/pod-status.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { ObservedPod } from '../../core/model/observed-pod.ts';
import type { Admission } from '../../core/node/admit-pod.ts';
import { INFEASIBLE } from '../../core/node/admit-resize.ts';
import { compareResizes, type WaitingResize } from '../../core/node/resize-order.ts';
import { isResizeInProgress, type ResizeFacts } from '../../core/pod/decide-resize.ts';
import { type ResizeTrigger, toResizeRequests } from '../../core/pod/resize-measurement.ts';
import {
  type ResizeState,
  readResizeState,
  renderResizeEvent,
  toResizeConditions,
} from '../../core/pod/resize-state.ts';
import { type AgentMeter, noMeter } from '../../ports/agent-meter.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { Kit } from '../../ports/kit.ts';
import type { DesiredPods } from '../desired/desired-pods.ts';
import type { PodAllocations } from './pod-allocations.ts';

/** Only in case that something was freed without a sign, such as by a change of the node. */
const SAFETY_RETRY_MS = 180_000;

export interface PodResizerParts extends Pick<Kit, 'clock' | 'logger'> {
  readonly events: EventRecorder;
  readonly desired: DesiredPods;
  readonly allocations: PodAllocations;
  /** Whether the node grants `pod` what its spec asks for, beside the others. */
  readonly admit: (pod: Pod, granted: Pod, others: readonly Pod[]) => Admission;
  /** The published conditions of the pod have changed. */
  readonly onChange: (uid: PodUid) => void;
  readonly meter?: Pick<AgentMeter, 'resized'>;
}

interface Candidate extends WaitingResize {
  readonly uid: PodUid;
}

export class PodResizer {
  readonly name = 'pod resizer';
  readonly #parts: PodResizerParts;
  readonly #meter: Pick<AgentMeter, 'resized'>;
  readonly #mailbox: Mailbox;
  readonly #states = new Map<PodUid, ResizeState>();
  /** Pods that ask for what they have not, with the time since they are known to wait. */
  readonly #waiting = new Map<PodUid, number | undefined>();
  /** The generation of the last wish that was counted. */
  readonly #asked = new Map<PodUid, number>();

  constructor(parts: PodResizerParts) {
    this.#parts = parts;
    this.#meter = parts.meter ?? noMeter;
    this.#mailbox = new Mailbox(parts.clock);
  }

  /** Runs until `stop` aborts. */
  async run(stop: AbortSignal): Promise<void> {
    const { desired, allocations, clock } = this.#parts;
    using _subscription = desired.records.subscribe((uid, record) => this.#onRecord(uid, record));
    allocations.onActuated(() => this.retry('pod_resized'));
    desired.onAllSourcesSeen(() => this.#mailbox.post('pods_added'));
    for (const [uid, record] of desired.records.entries()) this.#onRecord(uid, record);
    let trigger: ResizeTrigger = 'pods_added';
    while (!stop.aborted) {
      this.#review(trigger);
      const until = this.#waiting.size > 0 ? clock.steady() + SAFETY_RETRY_MS : undefined;
      const wake = await this.#mailbox.wait(stop, until);
      const [reason] = wake.kind === 'posted' ? wake.reasons : [];
      trigger = (reason as ResizeTrigger | undefined) ?? 'periodic_retry';
    }
  }

  /** Something may have become free. */
  retry(reason: ResizeTrigger): void {
    if (this.#waiting.size > 0) this.#mailbox.post(reason);
  }

  /** The conditions of the pod's resize. */
  conditions(uid: PodUid): PodCondition[] {
    return toResizeConditions(this.#states.get(uid) ?? {});
  }

  /**
   * What is in force of the pod's resources. Takes in how far its resize has
   * come in the same breath, so that decision and status speak of one grant.
   */
  facts(record: DesiredPod, observed: ObservedPod): ResizeFacts {
    const { allocations } = this.#parts;
    const resize = { actuated: allocations.actuated(record.uid), gates: allocations.gates };
    if (record.termination === undefined)
      this.noteProgress(record, isResizeInProgress(record.pod, observed, resize));
    return resize;
  }

  /** Takes in whether all that was granted is in force. */
  noteProgress({ uid, pod }: Pick<DesiredPod, 'uid' | 'pod'>, inProgress: boolean): void {
    const { progress, ...rest } = this.#stateOf(uid, pod);
    if (inProgress === (progress !== undefined)) return;
    if (inProgress) {
      this.#put(uid, { ...rest, progress: { generation: generationOf(pod) } });
    } else if (progress !== undefined) {
      this.#states.set(uid, rest);
      this.#record(
        pod,
        'Normal',
        'ResizeCompleted',
        renderResizeEvent('completed', pod, progress.generation),
      );
    }
  }

  /** The attempt to put in force what was granted has failed. */
  noteFailure({ uid, pod }: Pick<DesiredPod, 'uid' | 'pod'>, error: string): void {
    const state = this.#stateOf(uid, pod);
    const generation = state.progress?.generation ?? generationOf(pod);
    if (state.progress?.error === error) return;
    this.#put(uid, { ...state, progress: { generation, error } });
    this.#record(pod, 'Warning', 'ResizeError', renderResizeEvent('error', pod, generation, error));
  }

  podGone({ uid }: Pick<DesiredPod, 'uid'>): void {
    this.#states.delete(uid);
    this.#waiting.delete(uid);
    this.#asked.delete(uid);
    this.#count();
    this.retry('pods_removed');
  }

  #onRecord(uid: PodUid, record: DesiredPod | undefined): void {
    const wanted = this.#parts.desired.delivered(uid);
    if (record === undefined || record.termination !== undefined || wanted === undefined) {
      this.#waiting.delete(uid);
    } else if (this.#parts.allocations.apply(wanted) === wanted) {
      this.#waiting.delete(uid);
      this.#clearPending(uid, record.pod);
    } else if (this.#isNews(uid, wanted)) {
      this.#waiting.set(uid, this.#waiting.get(uid));
      this.#countRequest(uid, record.pod, wanted);
    }
    this.retry(record === undefined ? 'pods_removed' : toTrigger(record));
  }

  /** False for a spec that was found infeasible already. */
  #isNews(uid: PodUid, wanted: Pod): boolean {
    const { pending } = this.#stateOf(uid, wanted);
    return pending?.reason !== 'Infeasible' || pending.generation !== generationOf(wanted);
  }

  #clearPending(uid: PodUid, pod: Pod): void {
    const { pending, ...rest } = this.#stateOf(uid, pod);
    if (pending === undefined) return;
    this.#put(uid, rest);
    this.#parts.onChange(uid);
  }

  /** Once for each version of the spec. */
  #countRequest(uid: PodUid, granted: Pod, wanted: Pod): void {
    if (this.#asked.get(uid) === generationOf(wanted)) return;
    this.#asked.set(uid, generationOf(wanted));
    for (const request of toResizeRequests(granted, wanted))
      this.#meter.resized({ kind: 'requested', ...request });
  }

  #count(): void {
    const states = [...this.#states.values()];
    const pending = (wanted: string): number =>
      states.filter((state) => state.pending?.reason === wanted).length;
    const inProgress = states.filter(({ progress }) => progress !== undefined).length;
    const [deferred, infeasible] = [pending('Deferred'), pending('Infeasible')];
    this.#meter.resized({ kind: 'state', deferred, infeasible, inProgress });
  }

  #review(trigger: ResizeTrigger): void {
    const { desired } = this.#parts;
    if (!desired.allSourcesSeen) return;
    const candidates = [...this.#waiting].flatMap(([uid, waitsSinceMs]): Candidate[] => {
      const pod = desired.delivered(uid);
      const granted = desired.records.get(uid)?.pod;
      return pod === undefined || granted === undefined ? [] : [{ uid, pod, granted, waitsSinceMs }];
    });
    for (const candidate of candidates.sort(compareResizes)) this.#ask(candidate, trigger);
  }

  #ask({ uid, pod, granted }: Candidate, trigger: ResizeTrigger): void {
    const { desired, admit } = this.#parts;
    const others = desired.activePods().filter(({ metadata }) => metadata.uid !== uid);
    const admission = admit(pod, granted, others);
    if (admission.ok) {
      if (this.#states.get(uid)?.pending?.reason === 'Deferred')
        this.#meter.resized({ kind: 'accepted', trigger });
      desired.preempt(admission.victims);
      this.#grant(uid, pod);
    } else {
      const { detail } = admission;
      if (detail !== undefined) this.#meter.resized({ kind: 'infeasible', detail });
      this.#postpone(uid, pod, admission.reason, admission.message);
    }
  }

  #grant(uid: PodUid, pod: Pod): void {
    const { desired, allocations, logger } = this.#parts;
    const generation = generationOf(pod);
    this.#waiting.delete(uid);
    this.#put(uid, { progress: { generation } });
    allocations.grant(pod);
    this.#record(pod, 'Normal', 'ResizeStarted', renderResizeEvent('started', pod, generation));
    logger.info('pod resize granted', { pod: podRef(pod), podUid: uid, generation });
    desired.regrant(uid);
    this.#parts.onChange(uid);
  }

  #postpone(uid: PodUid, pod: Pod, cause: string, message: string): void {
    const { clock, onChange } = this.#parts;
    const state = this.#stateOf(uid, pod);
    const generation = generationOf(pod);
    const reason = cause === INFEASIBLE ? 'Infeasible' : 'Deferred';
    const before = state.pending;
    if (reason === 'Infeasible') this.#waiting.delete(uid);
    else this.#waiting.set(uid, this.#waiting.get(uid) ?? clock.steady());
    this.#put(uid, { ...state, pending: { reason, message, generation } });
    if (before?.reason !== reason || before.generation !== generation)
      this.#record(pod, 'Warning', `Resize${reason}`, renderResizeEvent(cause, pod, generation, message));
    else if (before.message === message) return;
    onChange(uid);
  }

  /** What is known, at first from what an earlier life of the agent published. */
  #stateOf(uid: PodUid, pod: Pod): ResizeState {
    const state = this.#states.get(uid) ?? readResizeState(pod);
    this.#states.set(uid, state);
    return state;
  }

  #put(uid: PodUid, state: ResizeState): void {
    this.#states.set(uid, state);
    this.#count();
  }

  #record(pod: Pod, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#parts.events.record({ about: { pod }, type, reason, message });
  }
}

function toTrigger({ termination }: DesiredPod): ResizeTrigger {
  return termination === undefined ? 'pod_updated' : 'pod_terminated';
}

function generationOf({ metadata }: Pod): number {
  return metadata.generation ?? 0;
}
