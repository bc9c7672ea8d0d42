/**
 * A kubelet in this process, for `kubelet run`: the same start as ever, with its log in a file. Stopping leaves pods
 * running; the command ends them before.
 */
import { createWriteStream } from 'node:fs';
import { onAbort } from '../base/async/on-abort.ts';
import { AgentError } from '../base/errors.ts';
import { Scope } from '../base/scope.ts';
import type { ForegroundKubelet, ForegroundSettings } from './cli/ask/foreground.ts';
import { hostConfigurationFiles } from './config/load/host-configuration-files.ts';
import { loadConfiguration } from './config/load/load-configuration.ts';
import { createProcessLogger } from './process/process-logger.ts';
import { startKubelet } from './startup.ts';

const LOG_MODE = 0o600;

/** Rejects with AgentError when it cannot start, or `signal` aborts before it has. */
export async function startForegroundKubelet(
  { argv, podOwner, logFile }: ForegroundSettings,
  signal: AbortSignal,
): Promise<ForegroundKubelet> {
  const loaded = loadConfiguration(argv, hostConfigurationFiles());
  if (loaded.kind !== 'loaded') {
    const problem = loaded.kind === 'rejected' ? loaded.message : loaded.text;
    throw new AgentError('invalid-argument', problem);
  }
  const file = createWriteStream(logFile, { flags: 'a', mode: LOG_MODE });
  // A log that cannot be written is no reason to end pods.
  file.on('error', () => {});
  const logger = createProcessLogger(loaded.config.logging, (line) => void file.write(`${line}\n`));
  const scope = Scope.root('kubelet');
  const stop = async (): Promise<void> => {
    await scope.close();
    await new Promise((resolve) => file.end(resolve));
  };
  try {
    using _stopped = onAbort(signal, () => void scope.close());
    const { failed, endPods } = await startKubelet(loaded, logger, scope, { podOwner, argv });
    if (signal.aborted) throw new AgentError('cancelled', 'stopped during the start');
    return { failed, endPods, stop };
  } catch (error) {
    logger.error('cannot start the kubelet', error);
    await stop();
    throw error;
  }
}
