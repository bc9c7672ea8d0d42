/** What the configuration wants for the process itself: to open many files. */
import { setOwnMaxFiles } from '../../adapters/linux/machine/process-limits.ts';
import type { Logger } from '../../base/log.ts';
import type { KubeletConfiguration } from '../config/kubelet-configuration.ts';

/** A host may refuse; the agent runs on with what it has. */
export async function applyProcessSettings(
  { maxOpenFiles }: Pick<KubeletConfiguration, 'maxOpenFiles'>,
  logger: Logger,
  setMaxFiles: (count: number) => Promise<void> = setOwnMaxFiles,
): Promise<void> {
  try {
    await setMaxFiles(maxOpenFiles);
  } catch (error) {
    logger.warn('cannot set the limit of open files', { maxOpenFiles, err: error });
  }
}
