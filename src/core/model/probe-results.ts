/**
 * Results of probes, as decisions and status read them. A result belongs to
 * the container id it measured: a new instance starts without one.
 */
import type { ContainerId } from './ids.ts';

export type ProbeKind = 'liveness' | 'readiness' | 'startup';

export type ProbeOutcome = 'success' | 'failure' | 'unknown';

export interface ProbeResults {
  /** The last published result; undefined when this container was not measured yet. */
  get(kind: ProbeKind, id: ContainerId): ProbeOutcome | undefined;
}
