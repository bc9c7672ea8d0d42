/** What eviction is configured with. */
import type { Threshold } from '../../core/eviction/threshold.ts';

export interface EvictionSettings {
  readonly thresholds: readonly Threshold[];
  readonly transitionMs: number;
  /** The longest grace of a soft eviction. */
  readonly maxPodGraceSeconds: number;
  /** Whether pods are held to their own limits of local storage. */
  readonly limitsLocalStorage: boolean;
  /** Whether page cache counts as free memory. */
  readonly sparesPageCache: boolean;
}
