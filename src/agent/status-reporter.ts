/**
 * Tells the API server what became of pods: one PATCH in flight per pod, sent
 * only when something changed, and the final delete once nothing of a deleted
 * pod is left. A static pod's status goes to its mirror. The API server being
 * away delays writes, never pods.
 *
 * Invariant: a terminal phase is told only when nothing of the pod runs.
 */
import { type Clock, sleep } from '../base/clock.ts';
import { errorText, hasCode } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { Pod } from '../core/api/pod.ts';
import { fullName, isStatic, podRef } from '../core/api/pod-identity.ts';
import type { PodStatus } from '../core/api/pod-status.ts';
import type { PodUid } from '../core/pod/ids.ts';
import { computeFinalStatus } from '../core/status/final-status.ts';
import { computePodStatusPatch, mergeApiStatus } from '../core/status/pod-status-patch.ts';
import { PODS } from '../ports/api-resource.ts';
import type { ApiServer, ObjectRef } from '../ports/api-server.ts';
import type { PublishedStatus, StatusBoard } from './status-board.ts';

const RETRY_MS = 1_000;
const MAX_RETRY_MS = 10_000;

export interface StatusReporterParts {
  readonly api: Pick<ApiServer, 'patch' | 'delete'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: () => number;
  readonly board: StatusBoard;
  /** The pod as the API server last told it. */
  readonly readDelivered: (uid: PodUid) => Pod | undefined;
  /** The mirror of a static pod, when there is one. */
  readonly readMirror: (fullName: string) => Pod | undefined;
}

interface Duty {
  /** What is left to say about a pod that is gone. */
  final?: PublishedStatus;
  /** The API's pod as our last write left it. */
  known?: Pod;
  changed: boolean;
  sending: boolean;
}

export class StatusReporter {
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
    for (const uid of board.published.keys()) this.check(uid);
    await new Promise<void>((resolve) => {
      if (stop.aborted) resolve();
      else stop.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.all(this.#sending);
  }

  /** The published status or the API's version of it may differ now. */
  check(uid: PodUid): void {
    const duty = this.#duties.get(uid) ?? { changed: false, sending: false };
    this.#duties.set(uid, duty);
    duty.changed = true;
    if (duty.sending || this.#stop === undefined || this.#stop.aborted) return;
    duty.sending = true;
    const sending = this.#sendAll(uid, duty, this.#stop).finally(() => {
      duty.sending = false;
      this.#sending.delete(sending);
    });
    this.#sending.add(sending);
  }

  /** Nothing of the pod is left: its last status is told and a deleted API object goes. */
  finish(uid: PodUid, pod: Pod, status: PodStatus): void {
    const known = this.#duties.get(uid)?.known;
    const delivered = this.#parts.readDelivered(uid) ?? known ?? pod;
    const final = {
      pod: delivered,
      status: computeFinalStatus(pod, status, this.#parts.clock.now()),
      mayRun: false,
    };
    const duty = this.#duties.get(uid) ?? { changed: true, sending: false };
    duty.final = final;
    this.#duties.set(uid, duty);
    this.check(uid);
  }

  async #sendAll(uid: PodUid, duty: Duty, stop: AbortSignal): Promise<void> {
    const { clock, logger, random, board } = this.#parts;
    let failures = 0;
    while (duty.changed && !stop.aborted) {
      duty.changed = false;
      const published = duty.final ?? board.published.get(uid);
      if (published === undefined) break;
      try {
        await this.#send(uid, duty, published, stop);
        failures = 0;
      } catch (error) {
        if (stop.aborted) return;
        if (hasCode(error, 'not-found') || hasCode(error, 'conflict')) break;
        if (failures === 0)
          logger.warn('cannot report the status, trying again', {
            pod: podRef(published.pod),
            podUid: uid,
            err: errorText(error),
          });
        duty.changed = true;
        const delayMs = Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** failures++) * (1 + random() / 2);
        await sleep(clock, delayMs, stop);
      }
    }
    if (duty.final !== undefined || board.published.get(uid) === undefined) this.#duties.delete(uid);
  }

  async #send(uid: PodUid, duty: Duty, published: PublishedStatus, stop: AbortSignal): Promise<void> {
    const { api, clock } = this.#parts;
    const target = this.#target(uid, duty, published.pod);
    if (target === undefined) return;
    const ref = toRef(target);
    const options = { priority: 'status', signal: stop } as const;
    const current = target.status ?? {};
    const merged = mergeApiStatus(current, published.status, published.mayRun, clock.now());
    const patch = computePodStatusPatch(target.metadata.uid, current, merged);
    if (patch !== undefined) {
      duty.known = await api.patch<Pod>(ref, patch, { ...options, kind: 'strategic', subresource: 'status' });
    }
    if (
      duty.final === undefined ||
      isStatic(published.pod) ||
      target.metadata.deletionTimestamp === undefined
    )
      return;
    await api.delete(ref, { ...options, gracePeriodSeconds: 0, uid: target.metadata.uid });
    this.#parts.logger.info('pod deleted from the API server', { pod: podRef(target), podUid: uid });
  }

  /** The API object to write to, in its newest known version. */
  #target(uid: PodUid, duty: Duty, pod: Pod): Pod | undefined {
    const { readDelivered, readMirror } = this.#parts;
    const delivered = isStatic(pod) ? readMirror(fullName(pod)) : (readDelivered(uid) ?? duty.final?.pod);
    if (delivered === undefined) return undefined;
    const isSameObject = duty.known?.metadata.uid === delivered.metadata.uid;
    return isSameObject && duty.known !== undefined && isNewer(duty.known, delivered)
      ? duty.known
      : delivered;
  }
}

function toRef({ metadata }: Pod): ObjectRef {
  return { resource: PODS, namespace: metadata.namespace, name: metadata.name };
}

function isNewer(a: Pod, b: Pod): boolean {
  return Number(a.metadata.resourceVersion ?? 0) > Number(b.metadata.resourceVersion ?? 0);
}
