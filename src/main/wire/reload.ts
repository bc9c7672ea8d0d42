/** Reloading the configuration: on SIGHUP, which until then would end the process. */
import { readUserIdRange } from '../../adapters/linux/machine/sub-ids.ts';
import { hostConfigurationFiles } from '../config/load/host-configuration-files.ts';
import { loadConfiguration } from '../config/load/load-configuration.ts';
import { checkTogether } from '../reload/check-together.ts';
import { ConfigurationReloader } from '../reload/configuration-reloader.ts';
import type { Foundation } from './foundation.ts';

/**
 * Listens from here on; a signal during the start is answered then too. A kubelet with a command line of its own is a
 * guest in the process, whose signals are not for it.
 */
export function startReloads(
  { live, clock, logger, scope }: Foundation,
  guestArgv?: readonly string[],
): ConfigurationReloader {
  const argv = guestArgv ?? process.argv.slice(2);
  const host = hostConfigurationFiles();
  const reloader = new ConfigurationReloader({
    live,
    load: () => loadConfiguration(argv, host),
    check: async (next) => {
      const { config } = next;
      checkTogether(next, host);
      await readUserIdRange(config.userNamespaces.idsPerPod, config.maxPods);
    },
    clock,
    logger,
  });
  let { verbosity } = live.current.config.logging;
  if (guestArgv === undefined) {
    const onSignal = (): void => reloader.ask();
    process.on('SIGHUP', onSignal);
    scope.defer(() => void process.off('SIGHUP', onSignal));
  }
  scope.use(
    live.changed.subscribe(() => {
      const { verbosity: wanted } = live.current.config.logging;
      // What was set since over HTTP stays until the file has another wish.
      if (wanted !== verbosity) logger.setVerbosity(wanted);
      verbosity = wanted;
    }),
  );
  scope.run(
    (stop) => reloader.run(stop),
    (error) => logger.error('configuration reload loop failed', error),
  );
  return reloader;
}
