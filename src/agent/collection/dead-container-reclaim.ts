/**
 * Removes dead containers of pods that have ended but are not deleted yet,
 * when eviction needs their room: marks them as too many, wakes the workers of
 * their pods, which remove them, and waits until they are gone.
 */
import { sleep } from '../../base/async/clock.ts';
import { errorText } from '../../base/errors.ts';
import type { ContainerId, PodUid } from '../../core/model/ids.ts';
import type { Kit } from '../../ports/kit.ts';
import type { RuntimeReader } from '../../ports/runtime/container-runtime.ts';
import type { DeadContainers } from '../pod/dead-containers.ts';

const LOOK_MS = 500;
/** What is not gone by then stays for the next time. */
const PATIENCE_MS = 30_000;
const LABEL = 'container collection';

export interface DeadContainerReclaimParts {
  readonly kit: Pick<Kit, 'clock' | 'logger' | 'events'>;
  readonly reader: Pick<RuntimeReader, 'listContainers'>;
  readonly deadContainers: Pick<DeadContainers, 'reclaim'>;
  /** Nothing of the pod runs any more, for good. */
  readonly hasEnded: (uid: PodUid) => boolean;
  readonly wake: (uid: PodUid) => void;
}

/** Never rejects: a runtime that cannot be listed is an event of the node. */
export async function removeDeadContainers(
  { kit, reader, deadContainers, hasEnded, wake }: DeadContainerReclaimParts,
  signal: AbortSignal,
): Promise<void> {
  const listDead = async (): Promise<Map<ContainerId, PodUid>> => {
    const containers = await reader.listContainers(undefined, { signal, label: LABEL });
    const dead = containers.filter(({ state, podUid }) => state !== 'running' && hasEnded(podUid));
    return new Map(dead.map(({ id, podUid }) => [id, podUid]));
  };
  try {
    const wanted = await listDead();
    if (wanted.size === 0) return;
    deadContainers.reclaim(new Set(wanted.keys()));
    for (const uid of new Set(wanted.values())) wake(uid);
    const untilMs = kit.clock.steady() + PATIENCE_MS;
    let left = wanted.size;
    while (left > 0 && kit.clock.steady() < untilMs && !signal.aborted) {
      await sleep(kit.clock, LOOK_MS, signal);
      const now = await listDead();
      left = [...wanted.keys()].filter((id) => now.has(id)).length;
    }
    kit.logger.info('dead containers removed', { count: wanted.size - left, left });
  } catch (error) {
    if (signal.aborted) return;
    const message = errorText(error);
    kit.events.record({ about: 'node', type: 'Warning', reason: 'ContainerGCFailed', message });
  }
}
