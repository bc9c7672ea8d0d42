/** Which containers run at the start of the agent: those keep their devices whatever has become of the plugins. */
import { errorText } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { RuntimeReader } from '../../ports/runtime/container-runtime.ts';

/** As `<uid>/<name>`; undefined when the runtime does not answer. */
export async function readRunningContainers(
  reader: Pick<RuntimeReader, 'listContainers'>,
  logger: Logger,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  try {
    const containers = await reader.listContainers(undefined, { signal, label: 'device assignments' });
    const running = containers.filter(({ state }) => state === 'running');
    return new Set(running.map(({ podUid, name }) => `${podUid}/${name}`));
  } catch (error) {
    logger.warn('cannot list what runs, every container with devices keeps them', { err: errorText(error) });
    return undefined;
  }
}
