/**
 * Ends all pods of the node, one group after the other: each gets its time,
 * and the next begins when the last pod has ended and its volumes are gone, or
 * when the time is over.
 */
import { orAborted } from '../../base/async/abortable.ts';
import type { Clock } from '../../base/async/clock.ts';
import { Deadline } from '../../base/async/deadline.ts';
import { Mailbox } from '../../base/async/mailbox.ts';
import type { Pod } from '../../core/api/pod.ts';
import { podRef } from '../../core/api/pod-identity.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import { type PodUid, toPodUid } from '../../core/model/ids.ts';
import type { ShutdownPeriod } from '../../core/shutdown/shutdown-periods.ts';
import {
  planShutdown,
  type ShutdownGroup,
  toShutdownTermination,
} from '../../core/shutdown/shutdown-plan.ts';
import { isTerminalPhase } from '../../core/status/phase.ts';
import type { Kit } from '../../ports/kit.ts';
import type { DesiredPods } from '../desired/desired-pods.ts';
import type { StatusBoard } from '../pod/status-board.ts';

/** No event says that the volumes of a pod are gone. */
const VOLUME_LOOK_MS = 250;
/** What the last pods became is on its way by then, or does not get through. */
const REPORT_WAIT_MS = 5_000;

export interface EndedPods {
  readonly kit: Pick<Kit, 'clock' | 'logger'>;
  readonly desired: Pick<
    DesiredPods,
    'allSourcesSeen' | 'onAllSourcesSeen' | 'records' | 'requestTermination'
  >;
  readonly board: Pick<StatusBoard, 'hasEnded' | 'published'>;
  readonly volumes: { holds(uid: PodUid): boolean };
  /** Resolves when every status that was published is reported, or with the signal. */
  readonly whenReported: (signal: AbortSignal) => Promise<void>;
}

/** Resolves when every source of pods was seen, after `timeoutMs` at the latest, or with `signal`. */
export async function whenPodsKnown(
  { kit, desired }: Pick<EndedPods, 'kit' | 'desired'>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  if (desired.allSourcesSeen) return;
  using deadline = new Deadline(kit.clock, { timeoutMs, signal });
  const seen = Promise.withResolvers<void>();
  using _sources = desired.onAllSourcesSeen(seen.resolve);
  await orAborted(seen.promise, deadline.signal);
  if (deadline.expired)
    kit.logger.warn('not all sources of pods were seen in time, ending the pods that are known', {
      timeoutMs,
    });
}

/** Resolves when no group is left and the statuses are reported, or with `signal`: then later groups stay. */
export async function endPods(
  parts: EndedPods,
  periods: readonly ShutdownPeriod[],
  signal: AbortSignal,
): Promise<void> {
  const { kit } = parts;
  for (const group of planShutdown(periods, readLeft(parts))) {
    if (signal.aborted) return;
    await endGroup(parts, group, signal);
  }
  using deadline = new Deadline(kit.clock, { timeoutMs: REPORT_WAIT_MS, signal });
  await orAborted(parts.whenReported(deadline.signal), deadline.signal);
}

/** Also pods that end for another cause, or were refused while they ran: whatever may run is waited for. */
function readLeft({ desired, board }: EndedPods): Pod[] {
  return [...desired.records.values()]
    .filter((record) => !board.hasEnded(record.uid) && !wasOver(record))
    .map(({ pod }) => pod);
}

/** It ended before the agent first saw it. */
function wasOver({ pod, termination }: DesiredPod): boolean {
  return termination?.cause === 'completed' && isTerminalPhase(pod.status?.phase);
}

async function endGroup(parts: EndedPods, group: ShutdownGroup, signal: AbortSignal): Promise<void> {
  const { kit, desired } = parts;
  const { priority, seconds, pods } = group;
  for (const pod of pods) {
    const podUid = toPodUid(pod.metadata.uid);
    const request = toShutdownTermination(pod, seconds);
    const { graceSeconds } = request;
    kit.logger.info('ending a pod for the shutdown of the node', { pod: podRef(pod), podUid, graceSeconds });
    // One that was refused keeps its verdict, and only gets less time.
    const isRejected = desired.records.get(podUid)?.termination?.cause === 'rejected';
    desired.requestTermination(podUid, isRejected ? { ...request, cause: 'rejected' } : request);
  }
  const uids = pods.map(({ metadata }) => toPodUid(metadata.uid));
  const left = await whenEnded(parts, uids, kit.clock.steady() + seconds * 1000, signal);
  const fields = { priority, seconds, pods: pods.length, left };
  if (left === 0) kit.logger.info('all pods of a shutdown group have ended', fields);
  else if (!signal.aborted) kit.logger.warn('a shutdown group ran out of time before its pods ended', fields);
}

/** How many have not ended when the wait is over. */
async function whenEnded(
  { kit, desired, board, volumes }: EndedPods,
  uids: readonly PodUid[],
  untilMs: number,
  signal: AbortSignal,
): Promise<number> {
  const changes = new Mailbox(kit.clock);
  using _records = desired.records.subscribe(() => changes.post('a pod changed'));
  using _published = board.published.subscribe(() => changes.post('a status changed'));
  const runs = (uid: PodUid): boolean => desired.records.has(uid) && !board.hasEnded(uid);
  const isLeft = (uid: PodUid): boolean => runs(uid) || (desired.records.has(uid) && volumes.holds(uid));
  for (;;) {
    const left = uids.filter(isLeft);
    if (left.length === 0 || signal.aborted || kit.clock.steady() >= untilMs) return left.length;
    await changes.wait(signal, nextLook(kit.clock, left.some(runs), untilMs));
  }
}

function nextLook(clock: Clock, isRunning: boolean, untilMs: number): number {
  return isRunning ? untilMs : Math.min(untilMs, clock.steady() + VOLUME_LOOK_MS);
}
