/** How long a shutdown of the machine waits for pods, from the configuration. The values were checked with it. */
import type { ShutdownSettings } from '../../agent/shutdown/node-shutdown.ts';
import { toShutdownPeriods } from '../../core/shutdown/shutdown-periods.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';
import { durationMs } from '../config/parse-duration.ts';

/** Undefined where it does not wait. */
export function toShutdownSettings({
  config,
  features,
}: Pick<LoadedConfiguration, 'config' | 'features'>): ShutdownSettings | undefined {
  if (!features.enabled('GracefulNodeShutdown')) return undefined;
  const knowsPriorities = features.enabled('GracefulNodeShutdownBasedOnPodPriority');
  const byPriority = knowsPriorities ? config.shutdownGracePeriodByPodPriority : [];
  const periods = toShutdownPeriods({
    totalMs: durationMs(config.shutdownGracePeriod),
    criticalMs: durationMs(config.shutdownGracePeriodCriticalPods),
    byPriority: byPriority.map(({ priority, shutdownGracePeriodSeconds: seconds }) => ({
      priority,
      seconds,
    })),
  });
  return periods.length === 0 ? undefined : { periods, keepsTimes: knowsPriorities };
}
