/** What the configuration wants for the process itself: to be killed late, and to open many files. */
import { setOwnMaxFiles, setOwnOomScore } from '../adapters/linux/process-limits.ts';
import type { Logger } from '../base/log.ts';
import type { KubeletConfiguration } from './config/kubelet-configuration.ts';

/** A host may refuse; the agent runs on with what it has. */
export async function applyProcessSettings(
  { oomScoreAdj, maxOpenFiles }: KubeletConfiguration,
  logger: Logger,
  { oomScore, maxFiles } = { oomScore: setOwnOomScore, maxFiles: setOwnMaxFiles },
): Promise<void> {
  const steps: readonly (readonly [string, number, (value: number) => Promise<void>])[] = [
    ['oomScoreAdj', oomScoreAdj, oomScore],
    ['maxOpenFiles', maxOpenFiles, maxFiles],
  ];
  for (const [setting, value, apply] of steps) {
    try {
      await apply(value);
    } catch (error) {
      logger.warn('the host refuses a setting of the process itself', { setting, value, err: error });
    }
  }
}
