/**
 * The program: loads the configuration, starts the node agent and waits for a
 * signal. The only place that ends the process. Stopping leaves containers
 * running.
 */
import { errorText } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { Scope } from '../base/scope.ts';
import { hostConfigurationFiles } from './config/host-configuration-files.ts';
import { type LoadedConfiguration, loadConfiguration } from './config/load-configuration.ts';
import { createProcessLogger } from './process-logger.ts';
import { startKubelet } from './startup.ts';

const EXIT_FAILED = 1;

async function main(argv: readonly string[]): Promise<number> {
  const outcome = loadConfiguration(argv, hostConfigurationFiles());
  switch (outcome.kind) {
    case 'print':
      process.stdout.write(outcome.text.endsWith('\n') ? outcome.text : `${outcome.text}\n`);
      return outcome.exitCode;
    case 'rejected':
      for (const warning of outcome.warnings) process.stderr.write(`${warning.message}\n`);
      for (const problem of outcome.problems) process.stderr.write(`kubelet: ${problem}\n`);
      return outcome.exitCode;
    case 'loaded':
      return run(outcome);
  }
}

/** Runs until a signal; a second signal does not wait. */
async function run(loaded: LoadedConfiguration): Promise<number> {
  const logger = createProcessLogger(loaded.config.logging);
  for (const warning of loaded.warnings) logger.warn(warning.message, { kind: warning.kind });
  await using scope = Scope.root('kubelet');
  const stopped = waitForSignal(logger);
  try {
    const kubelet = await startKubelet(loaded, logger, scope);
    return await Promise.race([stopped, kubelet.failed]);
  } catch (error) {
    logger.error('cannot start the kubelet', error);
    return EXIT_FAILED;
  }
}

function waitForSignal(logger: Logger): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const onSignal = (signal: NodeJS.Signals): void => {
    logger.info('stopping, containers keep running', { signal });
    process.once('SIGINT', () => process.exit(EXIT_FAILED));
    process.once('SIGTERM', () => process.exit(EXIT_FAILED));
    resolve(0);
  };
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  return promise;
}

main(process.argv.slice(2)).then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    process.stderr.write(`kubelet: ${error instanceof Error ? error.stack : errorText(error)}\n`);
    process.exit(EXIT_FAILED);
  },
);
