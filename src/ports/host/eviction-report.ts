/** How near the node is to evicting pods, for the sub-commands and metrics. */

import type { SignalPlan } from '../../core/eviction/eviction-plan.ts';
import type { Observations } from '../../core/eviction/observations.ts';
import type { Threshold } from '../../core/eviction/threshold.ts';

export interface EvictionReport {
  readonly signals: readonly SignalPlan[];
  /** Such as `MemoryPressure`. */
  readonly conditions: readonly string[];
}

export interface EvictionReporter {
  /** Measures the node and its pods now. Rejects with AgentError. */
  report(signal: AbortSignal): Promise<EvictionReport>;
  /** What was last measured, and the thresholds it is held against. */
  readonly last: { readonly thresholds: readonly Threshold[]; readonly observations: Observations };
}
