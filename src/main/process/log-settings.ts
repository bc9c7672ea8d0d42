/** Logs what the kubelet was started with, at high verbosity; secrets are masked. */
import type { Logger } from '../../base/log.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';
import { renderConfiguration } from '../config/render-config.ts';
import { renderFlags } from '../config/render-flags.ts';

const VERBOSITY = 5;

export function logSettings(
  { parsedFlags, config }: Pick<LoadedConfiguration, 'parsedFlags' | 'config'>,
  logger: Logger,
): void {
  for (const flag of renderFlags(parsedFlags))
    logger.debug({ file: 'log-settings', level: VERBOSITY }, `FLAG: ${flag}`);
  logger.debug({ file: 'log-settings', level: VERBOSITY }, 'KubeletConfiguration', {
    configuration: JSON.stringify(renderConfiguration(config)),
  });
}
