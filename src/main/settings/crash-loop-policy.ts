/** How long a container that ends again and again waits for its next start, from the configuration. */
import type { BackOffPolicy } from '../../base/async/back-off.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';
import { durationMs } from '../config/parse-duration.ts';

const INITIAL_MS = 10_000;
const MAX_MS = 300_000;
const FORGET_MS = 600_000;
/** With the gate ReduceDefaultCrashLoopBackOffDecay. */
const REDUCED_INITIAL_MS = 1_000;
const REDUCED_MAX_MS = 60_000;

/** A maximum that was configured, or defaulted because its gate is on, comes before everything else. */
export function toCrashLoopPolicy({
  config,
  features,
}: Pick<LoadedConfiguration, 'config' | 'features'>): BackOffPolicy {
  const reduced = features.enabled('ReduceDefaultCrashLoopBackOffDecay');
  const configured = config.crashLoopBackOff.maxContainerRestartPeriod;
  const maxMs = configured === undefined ? (reduced ? REDUCED_MAX_MS : MAX_MS) : durationMs(configured);
  const initialMs = Math.min(reduced ? REDUCED_INITIAL_MS : INITIAL_MS, maxMs);
  return { initialMs, maxMs, factor: 2, forgetAfterMs: FORGET_MS };
}
