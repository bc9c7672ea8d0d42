/** What a worker is at, for health output and explanations. */
import type { Action } from '../../core/model/actions.ts';

/** The step under way. */
export interface PodActivity {
  readonly pod: string;
  readonly step: string;
  readonly sinceMs: number;
  /** Absent while the worker only reads. */
  readonly action?: Action;
}

/** A pass that failed as a whole; the next one is due at `retryAtMs`. */
export interface PassSetback {
  readonly message: string;
  readonly atMs: number;
  readonly retryAtMs: number;
}
