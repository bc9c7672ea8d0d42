/** When pods have to go, from the configuration. The values were checked with it. */
import type { EvictionSettings } from '../../agent/eviction/eviction-settings.ts';
import { toThresholds } from '../../core/eviction/threshold.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';
import { durationMs, parseDuration } from '../config/parse-duration.ts';

/** Undefined where nothing is to be watched. */
export function toEvictionSettings({
  config,
  flags,
}: Pick<LoadedConfiguration, 'config' | 'flags'>): EvictionSettings | undefined {
  const graces = Object.entries(config.evictionSoftGracePeriod).map(([signal, text]) => {
    const period = parseDuration(text);
    return [signal, period === undefined ? 0 : durationMs(period)] as const;
  });
  const thresholds = toThresholds({
    hard: config.evictionHard,
    soft: config.evictionSoft,
    softGraceMs: Object.fromEntries(graces),
    minReclaim: config.evictionMinimumReclaim,
    enforcesPods:
      config.enforceNodeAllocatable.includes('pods') && !flags.experimentalAllocatableIgnoreEviction,
  });
  const limitsLocalStorage = config.localStorageCapacityIsolation;
  if (thresholds.length === 0 && !limitsLocalStorage) return undefined;
  return {
    thresholds,
    transitionMs: durationMs(config.evictionPressureTransitionPeriod),
    maxPodGraceSeconds: config.evictionMaxPodGracePeriod,
    limitsLocalStorage,
    sparesPageCache: flags.evictionSparesPageCache,
  };
}
