/**
 * Reports pod status to the API server: one PATCH in flight per pod, sent
 * only when something changed, and the final delete once nothing of a deleted
 * pod is left. A static pod's status goes to its mirror. An unreachable
 * API server delays writes, never pods.
 *
 * That a pod is being started is sent after a moment only: most have started
 * by then, and while many start at once each write takes from those that wait.
 *
 * Invariant: a terminal phase is sent only when nothing of the pod runs.
 */

import { orAborted } from '../../base/async/abortable.ts';
import { sleep } from '../../base/async/clock.ts';
import { computeRetryDelay, type RetryPolicy } from '../../base/async/retry-delay.ts';
import { whenAborted } from '../../base/async/when-aborted.ts';
import { errorText, hasCode } from '../../base/errors.ts';
import type { Pod } from '../../core/api/pod.ts';
import { fullName, isStatic, podRef } from '../../core/api/pod-identity.ts';
import type { PodStatus } from '../../core/api/pod-status.ts';
import { isOlderVersion } from '../../core/api/resource-version.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { PodUid } from '../../core/model/ids.ts';
import { computeFinalStatus } from '../../core/status/final-status.ts';
import { isStarting } from '../../core/status/is-starting.ts';
import { computePodStatusPatch, mergeApiStatus } from '../../core/status/pod-status-patch.ts';
import { PODS } from '../../ports/cluster/api-resource.ts';
import type { ApiServer, ObjectRef } from '../../ports/cluster/api-server.ts';
import type { Kit } from '../../ports/kit.ts';
import { markLike } from '../desired/mark-pod.ts';
import type { PublishedStatus, StatusBoard } from '../pod/status-board.ts';
import { isMirrorOf } from './mirror-pods.ts';

const RETRY: RetryPolicy = { initialMs: 1_000, maxMs: 10_000, spread: 0.5 };
/** How long a status waits that says no more than that the pod is being started. */
const START_MS = 3_000;
/** A conflict is a namesake, or a server that lost a race with itself: the latter goes away. */
const MAX_CONFLICTS = 3;

export interface StatusReporterParts extends Pick<Kit, 'clock' | 'logger' | 'random'> {
  readonly api: Pick<ApiServer, 'patch' | 'delete'>;
  readonly board: StatusBoard;
  /** The pod as the API server last delivered it. */
  readonly readDelivered: (uid: PodUid) => Pod | undefined;
  /** The mirror of a static pod, when there is one. */
  readonly readMirror: (fullName: string) => Pod | undefined;
  /** A change has reached the API server, so long after it was noticed. */
  readonly onSynced?: (durationMs: number) => void;
}

interface Duty {
  /** What is left to say about a pod that is gone. */
  final?: PublishedStatus;
  /** The API's pod as our last write left it. */
  known?: Pod;
  /** What needs no more writing: this status, on this version of the API's pod. */
  settled?: { readonly published: PublishedStatus; readonly target: Pod | undefined };
  changed: boolean;
  /** Until the pod has started, or has not in time; `over` once it has waited. */
  start?: Disposable | 'over';
  /** Since when there is something to send. */
  changedAtMs?: number;
  sending: boolean;
}

export class StatusReporter {
  readonly name = 'status reporter';
  readonly #parts: StatusReporterParts;
  readonly #duties = new Map<PodUid, Duty>();
  readonly #sending = new Set<Promise<void>>();
  #stop: AbortSignal | undefined;

  constructor(parts: StatusReporterParts) {
    this.#parts = parts;
  }

  async run(stop: AbortSignal): Promise<void> {
    const { board } = this.#parts;
    this.#stop = stop;
    using _subscription = board.published.subscribe(
      (uid, published) => published !== undefined && this.check(uid),
    );
    for (const uid of new Set([...board.published.keys(), ...this.#duties.keys()])) this.check(uid);
    await whenAborted(stop);
    for (const duty of this.#duties.values()) endWait(duty);
    await Promise.all(this.#sending);
  }

  /** Resolves when nothing waits to be sent any more, or as soon as `signal` aborts. */
  async whenIdle(signal: AbortSignal): Promise<void> {
    while (this.#sending.size > 0 && !signal.aborted) await orAborted(Promise.all(this.#sending), signal);
  }

  /** The published status or the API's version of it may differ now. */
  check(uid: PodUid): void {
    const duty = this.#duties.get(uid) ?? { changed: false, sending: false };
    if (!duty.sending && this.#isSettled(uid, duty)) return;
    this.#duties.set(uid, duty);
    duty.changed = true;
    duty.changedAtMs ??= this.#parts.clock.steady();
    if (duty.sending || this.#stop === undefined || this.#stop.aborted) return;
    if (this.#waitsForStart(uid, duty)) return;
    duty.sending = true;
    const sending = this.#sendAll(uid, duty, this.#stop).finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** Sends the final status of the pod; a pod that no source wanted has none. */
  podGone({ uid, pod, source }: DesiredPod, last: PublishedStatus | undefined): void {
    if (source !== 'runtime') this.finish(uid, pod, last?.status ?? pod.status ?? { phase: 'Pending' });
  }

  /**
   * Nothing of the pod is left: sends its final status and deletes the API
   * object of a deleted pod. A pod the API server no longer has needs neither.
   */
  finish(uid: PodUid, pod: Pod, status: PodStatus): void {
    const duty = this.#duties.get(uid) ?? { changed: false, sending: false };
    // Read now: the record of the pod is about to be dropped.
    const known = isStatic(pod) ? pod : this.#target(uid, duty, pod);
    // Where a pod comes from is what its record says: in the API object anyone could have written it.
    const target = known === undefined || known === pod ? known : markLike(pod, known, 'api');
    if (target === undefined) {
      endWait(duty);
      if (!duty.sending) this.#duties.delete(uid);
      return;
    }
    const final = computeFinalStatus(pod, status, this.#parts.clock.now());
    duty.final = { pod: target, status: final, mayRun: false };
    this.#duties.set(uid, duty);
    this.check(uid);
  }

  /** True when what there is to say about the pod may be overtaken by its start. */
  #waitsForStart(uid: PodUid, duty: Duty): boolean {
    if (duty.start === 'over') return false;
    if (!this.#isStarting(uid, duty)) {
      endWait(duty);
      return false;
    }
    duty.start ??= this.#parts.clock.startTimer(START_MS, () => {
      duty.start = 'over';
      if (this.#duties.get(uid) === duty) this.check(uid);
    });
    return true;
  }

  /** Not of a pod that has run, as the API server knows: that it no longer does must be known at once. */
  #isStarting(uid: PodUid, duty: Duty): boolean {
    const published = this.#parts.board.published.get(uid);
    if (duty.final !== undefined || published === undefined || !isStarting(published.status)) return false;
    const { phase = 'Pending' } = this.#target(uid, duty, published.pod)?.status ?? {};
    return phase === 'Pending';
  }

  #isSettled(uid: PodUid, duty: Duty): boolean {
    if (duty.final !== undefined || duty.settled === undefined) return false;
    const published = this.#parts.board.published.get(uid);
    if (published === undefined || published !== duty.settled.published) return false;
    const target = this.#target(uid, duty, published.pod);
    return isSameVersion(target, duty.settled.target);
  }

  async #sendAll(uid: PodUid, duty: Duty, stop: AbortSignal): Promise<void> {
    const { clock, logger, random, board } = this.#parts;
    let failures = 0;
    let conflicts = 0;
    while (duty.changed && !stop.aborted) {
      duty.changed = false;
      const published = duty.final ?? board.published.get(uid);
      if (published === undefined) break;
      try {
        await this.#send(uid, duty, published, stop);
        failures = 0;
        conflicts = 0;
        // Nothing is sent after the final status, whatever was published meanwhile.
        if (published === duty.final) break;
      } catch (error) {
        if (stop.aborted) break;
        // The object is gone; what was asked for meanwhile is another one.
        if (hasCode(error, 'not-found')) continue;
        if (hasCode(error, 'conflict') && ++conflicts > MAX_CONFLICTS) continue;
        if (failures === 0)
          logger.warn('cannot report the pod status, retrying', {
            pod: podRef(published.pod),
            podUid: uid,
            err: errorText(error),
          });
        duty.changed = true;
        await sleep(clock, computeRetryDelay(RETRY, failures++, random()), stop);
      }
    }
    // Here and not in a reaction to the promise: a check in between would be lost.
    duty.sending = false;
    if (stop.aborted) return;
    const isPublished = board.published.has(uid);
    if (duty.final !== undefined || !isPublished) this.#duties.delete(uid);
    // The pod came back under its UID while its final status was in flight.
    if (duty.final !== undefined && isPublished) this.check(uid);
  }

  async #send(uid: PodUid, duty: Duty, published: PublishedStatus, stop: AbortSignal): Promise<void> {
    const { api, clock, onSynced } = this.#parts;
    // Asked before anything is awaited: the end may come while a write of before is under way.
    const isFinal = published === duty.final;
    let target = this.#target(uid, duty, published.pod);
    duty.settled = { published, target };
    if (target === undefined) return;
    const ref = toRef(target);
    const options = { priority: 'status', signal: stop } as const;
    const current = target.status ?? {};
    const { pod, status, mayRun } = published;
    const merged = mergeApiStatus(current, status, mayRun, clock.now(), isStatic(pod));
    const patch = computePodStatusPatch(target.metadata.uid, current, merged);
    if (patch !== undefined) {
      delete duty.settled;
      target = await api.patch<Pod>(ref, patch, { ...options, kind: 'strategic', subresource: 'status' });
      onSynced?.(clock.steady() - (duty.changedAtMs ?? clock.steady()));
      duty.known = target;
      duty.settled = { published, target };
    }
    delete duty.changedAtMs;
    if (!isFinal || isStatic(pod) || target.metadata.deletionTimestamp === undefined) return;
    await api.delete(ref, { ...options, gracePeriodSeconds: 0, uid: target.metadata.uid });
    this.#parts.logger.info('pod deleted from the API server', { pod: podRef(target), podUid: uid });
  }

  /** The API object to write to, in its newest known version. */
  #target(uid: PodUid, duty: Duty, pod: Pod): Pod | undefined {
    const { readDelivered, readMirror } = this.#parts;
    const delivered = isStatic(pod) ? readMirror(fullName(pod)) : (readDelivered(uid) ?? duty.final?.pod);
    if (delivered === undefined) return undefined;
    // The next static pod of the name may already have its mirror there.
    if (isStatic(pod) && !isMirrorOf(delivered, pod)) return undefined;
    const isSameObject = duty.known?.metadata.uid === delivered.metadata.uid;
    return isSameObject && duty.known !== undefined && isOlder(delivered, duty.known)
      ? duty.known
      : delivered;
  }
}

function endWait(duty: Duty): void {
  if (duty.start !== 'over') duty.start?.[Symbol.dispose]();
  duty.start = 'over';
}

function toRef({ metadata }: Pod): ObjectRef {
  return { resource: PODS, namespace: metadata.namespace, name: metadata.name };
}

function isOlder(pod: Pod, than: Pod): boolean {
  return isOlderVersion(pod.metadata.resourceVersion, than.metadata.resourceVersion);
}

function isSameVersion(a: Pod | undefined, b: Pod | undefined): boolean {
  if (a === b) return true;
  const version = a?.metadata.resourceVersion;
  return (
    version !== undefined && version === b?.metadata.resourceVersion && a?.metadata.uid === b?.metadata.uid
  );
}
