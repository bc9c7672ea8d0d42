/** The running instance of a container or sandbox, as the runtime reports it now. */
import type { Pod } from '../../core/api/pod.ts';
import { toPodUid } from '../../core/model/ids.ts';
import {
  compareContainers,
  compareSandboxes,
  type ObservedContainer,
  type ObservedSandbox,
} from '../../core/model/observed-pod.ts';
import type { RuntimeCallOptions, RuntimeReader } from '../../ports/runtime/container-runtime.ts';

export type RunningReader = Pick<RuntimeReader, 'listSandboxes' | 'listContainers'>;

/** The newest running container of that name in a ready sandbox. */
export async function findRunningContainer(
  reader: RunningReader,
  pod: Pod,
  name: string,
  options: RuntimeCallOptions,
): Promise<ObservedContainer | undefined> {
  const uid = toPodUid(pod.metadata.uid);
  const [sandboxes, containers] = await Promise.all([
    reader.listSandboxes(uid, options),
    reader.listContainers(uid, options),
  ]);
  const ready = sandboxes.filter((sandbox) => sandbox.ready).sort(compareSandboxes);
  const running = containers.filter((container) => container.state === 'running' && container.name === name);
  running.sort(compareContainers);
  for (const { id } of ready) {
    const found = running.find(({ sandboxId }) => sandboxId === id);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The newest sandbox, and whether anything of the pod runs. */
export async function findSandbox(
  reader: RunningReader,
  pod: Pod,
  options: RuntimeCallOptions,
): Promise<ObservedSandbox | undefined> {
  const sandboxes = await reader.listSandboxes(toPodUid(pod.metadata.uid), options);
  const [newest] = sandboxes.toSorted(compareSandboxes);
  return sandboxes.some(({ ready }) => ready) ? newest : undefined;
}
