/**
 * Removes the dead containers of pods that have ended for good but are not
 * deleted yet. They are kept for their logs until the disk is needed.
 */
import { errorText } from '../../base/errors.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { ContainerRuntime, RuntimeReader } from '../../ports/container-runtime.ts';
import type { Kit } from '../../ports/kit.ts';

const LABEL = 'container collection';

export interface EndedPodContainersParts {
  readonly kit: Pick<Kit, 'events' | 'logger'>;
  readonly reader: Pick<RuntimeReader, 'listContainers'>;
  readonly runtime: Pick<ContainerRuntime, 'removeContainer'>;
  /** Nothing of the pod runs any more, for good. */
  readonly hasEnded: (uid: PodUid) => boolean;
}

/** Never rejects: a container that cannot be removed stops no other, and the failure is an event of the node. */
export async function removeEndedPodContainers(
  { kit, reader, runtime, hasEnded }: EndedPodContainersParts,
  signal: AbortSignal,
): Promise<void> {
  const options = { signal, label: LABEL };
  const failures: string[] = [];
  const note = (error: unknown): void => void failures.push(errorText(error));
  const listed = await reader.listContainers(undefined, options).catch((error: unknown) => {
    note(error);
    return [];
  });
  for (const { id, podUid, state } of listed) {
    if (state === 'running' || !hasEnded(podUid)) continue;
    kit.logger.info('removing a container of a pod that has ended', { containerId: id, podUid });
    await runtime.removeContainer(id, options).catch(note);
  }
  if (failures.length === 0 || signal.aborted) return;
  const message = failures.join('; ');
  kit.events.record({ about: 'node', type: 'Warning', reason: 'ContainerGCFailed', message });
}
