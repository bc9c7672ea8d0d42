/**
 * The desired pods: the merge of what the sources deliver, plus the one door
 * through which a pod is asked to end. Single writer of these records; all
 * others only read them. A change of a record wakes the pod's worker.
 *
 * Invariants: a record that terminates never goes back; its cause only
 * hardens and its grace only shrinks; nothing counts as orphaned before every
 * source has been seen.
 */
import type { Clock } from '../../base/async/clock.ts';
import { errorText } from '../../base/errors.ts';
import { Store, type StoreView } from '../../base/store.ts';
import type { Pod } from '../../core/api/pod.ts';
import { fullName, isStatic } from '../../core/api/pod-identity.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import { type PodUid, toPodUid } from '../../core/model/ids.ts';
import type { PodSourceName } from '../../core/model/pod-source-name.ts';
import { PREEMPTION, toPreemption } from '../../core/model/preemption.ts';
import { mergeTermination, type TerminationRequest, toReturning } from '../../core/model/termination.ts';
import type { AdmissionRefusal } from '../../core/node/admission-facts.ts';
import type { Admission } from '../../core/node/admit-pod.ts';
import { toHeldPod } from '../../core/node/held-pod.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { PodChanges } from '../../ports/pod-source.ts';
import { AdmissionDesk, type AdmissionDeskParts } from './admission-desk.ts';
import { isSameToUs, listNews, toEnd } from './delivered-pod.ts';
import { Deliveries } from './deliveries.ts';
import type { GrantedPods } from './granted-pods.ts';
import { holdsResources } from './holds-resources.ts';
import { markLike, markNewPod } from './mark-pod.ts';
import { SeenSources } from './seen-sources.ts';
import { hasPredecessor, Successors } from './successors.ts';

export interface DesiredPodsParts extends AdmissionDeskParts {
  readonly clock: Clock;
  readonly events: EventRecorder;
  /** The sources that must be seen before anything is cleaned up. */
  readonly sources: readonly PodSourceName[];
  /** Nothing of the pod runs any more, for good. */
  readonly hasEnded?: (uid: PodUid) => boolean;
  /** What pods were granted; without it each has what its spec asks for. */
  readonly allocations?: GrantedPods;
}

export class DesiredPods {
  readonly #clock: Clock;
  readonly #events: EventRecorder;
  readonly #desk: AdmissionDesk;
  readonly #hasEnded: (uid: PodUid) => boolean;
  readonly #allocations: DesiredPodsParts['allocations'];
  readonly #records = new Store<PodUid, DesiredPod>();
  readonly #deliveries: Deliveries;
  readonly #seen: SeenSources;
  /** Pods that ended here for good although their source still names them, and whether as deleted. */
  readonly #finished = new Map<PodUid, 'deleted' | 'kept'>();
  readonly #successors = new Successors();
  #arrivals = 0;

  constructor(parts: DesiredPodsParts) {
    this.#clock = parts.clock;
    this.#events = parts.events;
    this.#desk = new AdmissionDesk(parts);
    this.#hasEnded = parts.hasEnded ?? (() => false);
    this.#allocations = parts.allocations;
    this.#deliveries = new Deliveries(parts.events);
    this.#seen = new SeenSources(parts.sources);
  }

  get records(): StoreView<PodUid, DesiredPod> {
    return this.#records.view;
  }

  /** True once every source has delivered; before that nothing may be treated as unknown, see also `mayHide`. */
  get allSourcesSeen(): boolean {
    return this.#seen.all;
  }

  /** Calls `listener` when the last source is seen, and when nothing may hide any more; dispose the result to stop. */
  onAllSourcesSeen(listener: () => void): Disposable {
    return this.#seen.onAllSeen(listener);
  }

  /** Whether a pod of that source, or of an unknown one, may be in a manifest that cannot be used. */
  mayHide(source: string | undefined): boolean {
    return this.#seen.mayHide(source);
  }

  /**
   * Takes the current set of one source, incomplete or as all of it, or how it differs from the last one. Returns the
   * pods that are new or have changed.
   */
  deliver(source: PodSourceName, pods: readonly Pod[] | PodChanges, complete = true): readonly PodUid[] {
    const { wanted, before, gone } = this.#deliveries.take(source, pods);
    for (const uid of gone) {
      this.#finished.delete(uid);
      if (this.#records.get(uid)?.source === source) this.requestTermination(uid, { cause: 'removed' });
    }
    const isJudged = (uid: PodUid): boolean => this.#records.has(uid) || this.#finished.has(uid);
    const wasGranted = (uid: PodUid): boolean => this.#allocations?.has(uid) === true;
    const news = listNews(wanted, { before, isJudged, wasGranted });
    for (const [uid, pod] of news) this.#want(source, uid, pod);
    this.#seen.note(source, complete);
    this.#judgeHeld();
    return news.map(([uid]) => uid);
  }

  /** All that runs under the name of a static pod here has a record now, also from an earlier life of the agent. */
  predecessorsKnown(): void {
    this.#successors.open();
    this.#judgeHeld();
  }

  /** The one door to end a pod. False when the pod is not known. */
  requestTermination(uid: PodUid, request: TerminationRequest): boolean {
    const record = this.#records.get(uid);
    if (record === undefined) return false;
    const termination = mergeTermination(record.pod, record.termination, request, this.#now());
    const { cause, graceSeconds, verdict, returns } = record.termination ?? {};
    if (
      termination.cause !== cause ||
      termination.graceSeconds !== graceSeconds ||
      termination.verdict !== verdict ||
      returns === true
    ) {
      this.#records.set(uid, { ...record, termination });
    }
    return true;
  }

  /** The node does not take the pod, or not after all; without effect for one that is not known. */
  reject(
    uid: PodUid,
    { reason, message, note }: Pick<AdmissionRefusal, 'reason' | 'message' | 'note'>,
  ): void {
    const pod = this.#records.get(uid)?.pod;
    if (pod === undefined) return;
    this.#events.record({ about: { pod }, type: 'Warning', reason, message });
    const verdict = { reason, message: `Pod was rejected: ${message}`, ...(note !== undefined && { note }) };
    this.requestTermination(uid, { cause: 'rejected', verdict });
  }

  /** Takes in a pod that only the runtime has, to end it. */
  adoptOrphan(pod: Pod, graceSeconds: number): void {
    const uid = toPodUid(pod.metadata.uid);
    if (this.#records.has(uid)) return;
    const termination = { cause: 'orphaned' as const, ...this.#now(), graceSeconds };
    this.#records.set(uid, { uid, pod, source: 'runtime', order: this.#arrivals++, termination });
  }

  /** The pod as its source has it now, with the status the source last delivered. */
  delivered(uid: PodUid): Pod | undefined {
    const record = this.#records.get(uid);
    if (record === undefined || record.source === 'runtime') return undefined;
    return this.#deliveries.get(record.source, uid);
  }

  /** The pod was granted what its source wants. */
  regrant(uid: PodUid): void {
    const source = this.#records.get(uid)?.source;
    const pod = this.delivered(uid);
    if (source !== undefined && source !== 'runtime' && pod !== undefined) this.#want(source, uid, pod);
  }

  /**
   * Drops the record of a pod of which nothing is left. One that its source
   * removed and brought back meanwhile starts again; one that was deleted,
   * evicted or rejected never runs again under this UID. If such a one is
   * deleted later it gets a record once more, only to confirm that.
   */
  forget(uid: PodUid): void {
    const record = this.#records.get(uid);
    const cause = record?.termination?.cause;
    this.#records.delete(uid);
    this.#desk.forget(uid);
    for (const [source, pod] of this.#deliveries.sourcesOf(uid)) {
      if (cause === 'removed' || cause === 'orphaned') this.#want(source, uid, pod);
      else this.#finished.set(uid, cause === 'deleted' ? 'deleted' : 'kept');
    }
    if (record !== undefined) this.#judgeHeld(fullName(record.pod));
  }

  #want(source: PodSourceName, uid: PodUid, pod: Pod): void {
    const end = toEnd(pod);
    const finished = this.#finished.get(uid);
    if (finished === 'deleted' || (finished === 'kept' && end !== 'deleted')) return;
    const record = this.#records.get(uid);
    if (record === undefined) {
      // A pod that ran before has what it was granted then.
      const marked = this.#granted(markNewPod(pod, source, this.#clock.now()));
      const fresh = { uid, pod: marked, source, order: this.#arrivals++ };
      if (end === undefined) this.#takeIn(fresh);
      // In one step: a reader must not see the pod without its termination and start it.
      else {
        const termination = mergeTermination(marked, undefined, { cause: end }, this.#now());
        this.#records.set(uid, { ...fresh, termination });
      }
      return;
    }
    if (record.source !== source) return;
    const granted = this.#granted(pod);
    const termination = record.termination && toReturning(pod, record.termination);
    if (termination !== undefined && termination !== record.termination)
      this.#records.set(uid, { ...record, termination });
    else if (!isSameToUs(record.pod, granted))
      this.#records.set(uid, { ...record, pod: markLike(record.pod, granted, source) });
    if (end !== undefined) this.requestTermination(uid, { cause: end });
  }

  #now() {
    return { requestedAtMs: this.#clock.now(), countedFromMs: this.#clock.steady() };
  }

  #takeIn(record: DesiredPod): void {
    const { uid, pod } = record;
    const mayWait = isStatic(pod) && this.#desk.concerns(pod);
    // One that has no place anyway must not keep a place from others meanwhile.
    if (!mayWait || !this.#desk.mayFit(pod, this.#othersOf(record))) {
      this.#admitNew(record);
      return;
    }
    this.#successors.hold(record);
    this.#records.set(uid, { ...record, undecided: true });
    if (this.allSourcesSeen) this.#judgeHeld(fullName(pod));
  }

  /** Decides on static pods that were held, of one name or all, unless they wait for a predecessor. */
  #judgeHeld(name?: string): void {
    for (const uid of this.#successors.take(name)) {
      const held = this.#records.get(uid);
      if (held === undefined) continue;
      const { undecided: _, ...record } = held;
      if (record.termination !== undefined) this.#records.set(uid, record);
      else if (hasPredecessor(record, this.#records.view.values())) this.#successors.hold(record);
      else this.#admitNew(record);
    }
  }

  #admitNew(record: DesiredPod): void {
    const { uid, pod } = record;
    const admission = this.#desk.ask(pod, () => this.#othersOf(record));
    if (admission instanceof Promise) {
      this.#records.set(uid, { ...record, undecided: true });
      const refuse = (error: unknown): Admission => ({
        ...{ ok: false, reason: 'UnexpectedAdmissionError', message: errorText(error) },
      });
      void admission.catch(refuse).then((decided) => this.#admitLater(uid, decided));
    } else {
      this.#records.set(uid, record);
      this.#conclude(uid, pod, admission);
    }
  }

  #admitLater(uid: PodUid, admission: Admission): void {
    const record = this.#records.get(uid);
    if (record?.undecided !== true) return;
    const { undecided: _, ...decided } = record;
    this.#records.set(uid, decided);
    if (decided.termination === undefined) this.#conclude(uid, decided.pod, admission);
  }

  #conclude(uid: PodUid, pod: Pod, admission: Admission): void {
    if (!admission.ok) {
      this.reject(uid, admission);
      return;
    }
    this.#allocations?.grant(pod);
    this.preempt(admission.victims);
  }

  #granted(pod: Pod): Pod {
    return this.#allocations?.apply(pod) ?? pod;
  }

  /** Ends pods that have to make room. */
  preempt(victims: readonly Pod[]): void {
    for (const victim of victims) {
      this.#events.record({ about: { pod: victim }, type: 'Warning', ...PREEMPTION });
      this.requestTermination(toPodUid(victim.metadata.uid), toPreemption(victim));
    }
  }

  /** The pods that hold resources of the node now, with what they hold, oldest arrival first. */
  activePods(): Pod[] {
    return this.#activePods(() => true);
  }

  /** Of two that are undecided the later one has to fit beside the earlier one, not both beside each other. */
  #othersOf({ uid, order }: DesiredPod): Pod[] {
    return this.#activePods(
      (other) => other.uid !== uid && (other.undecided !== true || other.order < order),
    );
  }

  #activePods(counts: (record: DesiredPod) => boolean): Pod[] {
    return [...this.#records.view.values()]
      .filter((record) => counts(record) && !this.#hasEnded(record.uid) && holdsResources(record))
      .map(({ uid, pod }) => toHeldPod(pod, this.#allocations?.actuated(uid)));
  }
}
