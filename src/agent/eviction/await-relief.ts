/**
 * What an eviction waits for before the next pod may have to go: that nothing
 * is left of the evicted pods, and that the disks have what they held.
 */
import { sleep } from '../../base/async/clock.ts';
import { Mailbox } from '../../base/async/mailbox.ts';
import { findMet } from '../../core/eviction/assess-pressure.ts';
import { fileSystemOf } from '../../core/eviction/disk-layout.ts';
import { toObservations } from '../../core/eviction/observations.ts';
import type { Threshold } from '../../core/eviction/threshold.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { NodeStatistics } from '../../ports/host/node-statistics.ts';
import type { Kit } from '../../ports/kit.ts';
import type { DesiredPods } from '../desired/desired-pods.ts';

/** An evicted pod is waited for so long before the node is measured again. */
const END_WAIT_MS = 30_000;
/** A runtime removes the files of a container a while after it has removed the container: so long they may take. */
const ROOM_WAIT_MS = 5_000;
const ROOM_LOOK_MS = 500;

interface ReliefParts {
  readonly kit: Pick<Kit, 'clock'>;
  readonly desired: Pick<DesiredPods, 'records'>;
  readonly statistics: Pick<NodeStatistics, 'readNode'>;
}

/** A pod that has ended still holds its volumes until they are taken down. */
export async function whenGone(
  { desired, kit }: ReliefParts,
  uids: readonly PodUid[],
  stop: AbortSignal,
): Promise<void> {
  const gone = new Mailbox(kit.clock);
  using _records = desired.records.subscribe(() => gone.post('a pod changed'));
  const untilMs = kit.clock.steady() + END_WAIT_MS;
  while (uids.some((uid) => desired.records.has(uid))) {
    const wake = await gone.wait(stop, untilMs);
    if (wake.kind !== 'posted') return;
  }
}

/** Until no disk is short, or the room can no longer be expected; memory and processes do not wait. Rejects with AgentError. */
export async function whenRoomIsBack(
  { kit, statistics }: ReliefParts,
  thresholds: readonly Threshold[],
  stop: AbortSignal,
): Promise<void> {
  const untilMs = kit.clock.steady() + ROOM_WAIT_MS;
  while (!stop.aborted && kit.clock.steady() < untilMs) {
    const { summary, atMs } = await statistics.readNode({ maxAgeMs: 0, signal: stop });
    const met = findMet(thresholds, toObservations(summary, atMs), true);
    if (met.length === 0 || met.some(({ signal }) => fileSystemOf(signal) === undefined)) return;
    await sleep(kit.clock, ROOM_LOOK_MS, stop);
  }
}
