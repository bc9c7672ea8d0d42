/**
 * Keeps exactly one worker per desired pod, and sees that pods which only the
 * runtime knows get one to end them. Two static pods of one full name never
 * overlap: the next starts when nothing of the one before is left.
 */

import { Emitter } from '../../base/async/emitter.ts';
import { whenAborted } from '../../base/async/when-aborted.ts';
import { errorText } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { Pod } from '../../core/api/pod.ts';
import { CONFIG_SOURCE_ANNOTATION, fullName, isStatic, podRef } from '../../core/api/pod-identity.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import { type PodUid, toPodUid } from '../../core/model/ids.ts';
import { hasRunning, type ObservedPod } from '../../core/model/observed-pod.ts';
import { allContainersOf } from '../../core/model/pod-containers.ts';
import type { ExplainFacts } from '../../core/pod/explain/explain-facts.ts';
import { toOrphan } from '../../core/pod/orphan.ts';
import type { DesiredPods } from '../desired/desired-pods.ts';
import type { FoundLeftOvers } from './left-overs.ts';
import type { PodActivity } from './pod-activity.ts';
import type { PodWorker } from './pod-worker.ts';

/** Orphans get no more time than this: no source is left that asked for a longer grace. */
const ORPHAN_GRACE_SECONDS = 1;

export interface PodSupervisorParts {
  readonly desired: DesiredPods;
  readonly logger: Logger;
  readonly createWorker: (uid: PodUid) => PodWorker;
  /** What the runtime had at the last relist; undefined before the first. */
  readonly readListed: () => ReadonlyMap<PodUid, ObservedPod> | undefined;
  /** Pods that have left directories on the host, whether known or not. */
  readonly readLeftOvers: (isKnown: (uid: PodUid) => boolean) => Promise<FoundLeftOvers>;
}

export class PodSupervisor {
  readonly name = 'pod supervisor';
  readonly #parts: PodSupervisorParts;
  readonly #workers = new Map<PodUid, PodWorker>();
  readonly #running = new Set<Promise<void>>();
  /** Full name to the pods that hold it; a static pod starts only when no other does. */
  readonly #holders = new Map<string, Set<PodUid>>();
  readonly #terminations = new Map<PodUid, DesiredPod['termination']>();
  /** Static pods that wait until nothing is left of another one of their name. */
  readonly #followers = new Set<PodUid>();
  readonly #gone = new Emitter<[DesiredPod]>();
  /** Pods of which it was logged that they are left alone. */
  readonly #heldBack = new Set<PodUid>();
  #stop: AbortSignal | undefined;
  #leftOvers: 'unread' | 'reading' | 'read' = 'unread';

  constructor(parts: PodSupervisorParts) {
    this.#parts = parts;
  }

  /** Calls `listener` when nothing of a pod is left, before its record goes; dispose the result to stop. */
  onGone(listener: (record: DesiredPod) => void): Disposable {
    return this.#gone.subscribe(listener);
  }

  /** Runs workers until `stop` aborts and all of them have come to rest. */
  async run(stop: AbortSignal): Promise<void> {
    const { desired } = this.#parts;
    this.#stop = stop;
    using _subscription = desired.records.subscribe((uid, record) => this.#onRecord(uid, record));
    desired.onAllSourcesSeen(() => this.review());
    this.review();
    await whenAborted(stop);
    await Promise.all(this.#running);
  }

  /** Wakes the worker of a pod, if it has one. */
  wake(uid: PodUid, reason: string): void {
    this.#workers.get(uid)?.wake(reason);
  }

  /** What failed for the pod and waits is tried at once. */
  retry(uid: PodUid): void {
    this.#workers.get(uid)?.retry();
  }

  /** A probe of the pod found something. */
  probed(uid: PodUid): void {
    this.#workers.get(uid)?.probed();
  }

  wakeAll(reason: string): void {
    for (const worker of this.#workers.values()) worker.wake(reason);
  }

  /** The worker of the pod, read-only; undefined while it has none. */
  worker(uid: PodUid): Pick<PodWorker, 'activity' | 'last' | 'setback'> | undefined {
    return this.#workers.get(uid);
  }

  /** Why a pod has no worker yet. */
  heldBy({ pod, undecided }: Pick<DesiredPod, 'pod' | 'undecided'>): NonNullable<ExplainFacts['held']> {
    if (this.#holders.has(fullName(pod))) return 'predecessor';
    return undecided === true && this.#parts.readListed() !== undefined ? 'undecided' : 'runtime-unread';
  }

  /** Steps under way that began before `beforeMs`: what hangs, and for whom. */
  activities(beforeMs: number): PodActivity[] {
    const all = [...this.#workers.values()].map((worker) => worker.activity);
    return all.filter((activity) => activity !== undefined && activity.sinceMs < beforeMs) as PodActivity[];
  }

  /** Starts what may start now and adopts orphans; called after each relist and change of name. */
  review(): void {
    this.#adoptOrphans();
    const { desired, readListed } = this.#parts;
    for (const record of desired.records.values()) this.#tryStart(record);
    if (this.#stop !== undefined && readListed() !== undefined) desired.predecessorsKnown();
  }

  #onRecord(uid: PodUid, record: DesiredPod | undefined): void {
    if (record === undefined) return;
    const worker = this.#workers.get(uid);
    if (worker === undefined) {
      this.#tryStart(record);
      return;
    }
    const before = this.#terminations.get(uid);
    this.#terminations.set(uid, record.termination);
    if (isCutShort(before, record.termination)) worker.interrupt(`terminating: ${record.termination?.cause}`);
    else if (startsOtherImage(worker, record)) worker.interrupt('the image of a starting container changed');
    else worker.wake('desired state changed');
  }

  #tryStart(record: DesiredPod): void {
    const { desired, logger, createWorker, readListed } = this.#parts;
    if (this.#stop === undefined || this.#stop.aborted || this.#workers.has(record.uid)) return;
    if (readListed() === undefined) return;
    const takesName = record.source === 'runtime' || isStatic(record.pod);
    const name = fullName(record.pod);
    const follows = takesName && record.source !== 'runtime';
    // Also of one that is undecided: its admission waits for them.
    if (follows) this.#adoptPredecessors(record);
    if (record.undecided === true) return;
    this.#followers.delete(record.uid);
    if (follows && this.#holders.has(name)) {
      if (record.termination !== undefined) {
        desired.forget(record.uid);
        return;
      }
      this.#followers.add(record.uid);
      const fields = { pod: podRef(record.pod), podUid: record.uid };
      const level = { file: 'pod-supervisor', level: 2 };
      logger.debug(level, 'pod waits for its predecessor of the same name to end', fields);
      return;
    }
    if (takesName) this.#holders.set(name, new Set([...(this.#holders.get(name) ?? []), record.uid]));
    const worker = createWorker(record.uid);
    this.#workers.set(record.uid, worker);
    this.#terminations.set(record.uid, record.termination);
    logger.info('pod added', { pod: podRef(record.pod), podUid: record.uid, source: record.source });
    const running = this.#supervise(worker, record, this.#stop);
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }

  async #supervise(worker: PodWorker, first: DesiredPod, stop: AbortSignal): Promise<void> {
    const end = await worker.run(stop);
    if (end === 'stopped') return;
    const { desired, logger } = this.#parts;
    const name = fullName(first.pod);
    logger.info('pod gone', { pod: name, podUid: worker.uid });
    this.#workers.delete(worker.uid);
    this.#terminations.delete(worker.uid);
    const holders = this.#holders.get(name);
    holders?.delete(worker.uid);
    if (holders?.size === 0) this.#holders.delete(name);
    this.#gone.emit(desired.records.get(worker.uid) ?? first);
    desired.forget(worker.uid);
    if (worker.leftBehind !== undefined) this.#adoptOrphan(worker.uid, worker.leftBehind);
    this.#startFollowers(name);
  }

  /** Of all others nothing has changed: each end of a pod would be a look at every pod. */
  #startFollowers(name: string): void {
    const { records } = this.#parts.desired;
    for (const uid of [...this.#followers]) {
      const record = records.get(uid);
      if (record === undefined) this.#followers.delete(uid);
      else if (fullName(record.pod) === name) this.#tryStart(record);
    }
  }

  /**
   * A pod of the same full name that only the runtime has was replaced while no agent ran: it ends first. One of which
   * nothing runs stands in the way only of a pod that is undecided: it may still have what that one asks for.
   */
  #adoptPredecessors(record: DesiredPod): void {
    const { desired, readListed } = this.#parts;
    for (const [uid, observed] of readListed() ?? []) {
      if (uid === record.uid || desired.records.has(uid)) continue;
      if (record.undecided !== true && !hasRunning(observed)) continue;
      const orphan = toOrphan(observed);
      const source = orphan?.metadata.annotations?.[CONFIG_SOURCE_ANNOTATION];
      if (orphan === undefined || source === 'api' || fullName(orphan) !== fullName(record.pod)) continue;
      desired.adoptOrphan(orphan, orphan.spec.terminationGracePeriodSeconds ?? ORPHAN_GRACE_SECONDS);
      // The store may notify only later; the pod has to hold the name now.
      const adopted = desired.records.get(uid);
      if (adopted !== undefined) this.#tryStart(adopted);
    }
  }

  #adoptOrphans(): void {
    const { desired, readListed } = this.#parts;
    if (!desired.allSourcesSeen || this.#stop === undefined) return;
    const listed = readListed();
    if (listed === undefined) return;
    // Directories do not say whose they are.
    if (!desired.mayHide(undefined)) void this.#adoptLeftOvers();
    for (const [uid, observed] of listed) if (!desired.records.has(uid)) this.#adoptOrphan(uid, observed);
  }

  #adoptOrphan(uid: PodUid, observed: ObservedPod): void {
    const { desired, logger } = this.#parts;
    const orphan = toOrphan(observed);
    if (orphan === undefined || this.#isHeldBack(uid, orphan)) return;
    logger.info('orphaned pod in the runtime, terminating it', { pod: podRef(orphan), podUid: uid });
    desired.adoptOrphan(orphan, ORPHAN_GRACE_SECONDS);
  }

  /** A manifest that cannot be used may be this pod's: it runs on until the manifest is mended or removed. */
  #isHeldBack(uid: PodUid, orphan: Pod): boolean {
    const { desired, logger } = this.#parts;
    if (!desired.mayHide(orphan.metadata.annotations?.[CONFIG_SOURCE_ANNOTATION])) return false;
    if (!this.#heldBack.has(uid))
      logger.warn('a manifest cannot be used and may be that of a running pod, leaving it', {
        pod: podRef(orphan),
        podUid: uid,
      });
    this.#heldBack.add(uid);
    return true;
  }

  /** Once per start: only a kill leaves directories without a pod. What fails is tried at the next review. */
  async #adoptLeftOvers(): Promise<void> {
    const { desired, logger, readLeftOvers } = this.#parts;
    if (this.#leftOvers !== 'unread') return;
    this.#leftOvers = 'reading';
    try {
      const { pods, complete } = await readLeftOvers((uid) => desired.records.has(uid));
      for (const pod of pods) {
        if (this.#stop?.aborted || desired.records.has(toPodUid(pod.metadata.uid))) continue;
        logger.info('orphaned pod directories, removing them', {
          pod: podRef(pod),
          podUid: pod.metadata.uid,
        });
        desired.adoptOrphan(pod, ORPHAN_GRACE_SECONDS);
      }
      this.#leftOvers = complete ? 'read' : 'unread';
    } catch (error) {
      this.#leftOvers = 'unread';
      logger.warn('cannot look for orphaned pod directories', { err: errorText(error) });
    }
  }
}

/**
 * An end that begins, or that gets less time, does not wait for the step
 * under way. For any other change it does: containers that are being stopped
 * would get their whole time once more.
 */
function isCutShort(before: DesiredPod['termination'], now: DesiredPod['termination']): boolean {
  if (now === undefined || now === before || now.cause === 'completed') return false;
  return before === undefined || before.cause === 'completed' || before.graceSeconds !== now.graceSeconds;
}

/** A pull of an image the pod no longer names must not hold up the one it names now. */
function startsOtherImage({ activity }: PodWorker, { pod }: DesiredPod): boolean {
  const action = activity?.action;
  if (action?.kind !== 'start-container') return false;
  const { name, image } = action.container;
  const wanted = allContainersOf(pod).find((container) => container.name === name);
  return wanted !== undefined && wanted.image !== image;
}
