/**
 * What every file here starts from: the configuration, and what exists before
 * anything is connected. A phase of the start is a function from this, and
 * from the results of phases before it, to what it brought to life.
 */
import type { Clock } from '../../base/async/clock.ts';
import type { Scope } from '../../base/scope.ts';
import type { Tracer } from '../../ports/tracer.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';
import type { NodeMetrics } from '../metrics/node-metrics.ts';
import type { ProcessLogger } from '../process/process-logger.ts';
import type { LiveConfiguration } from '../reload/live-configuration.ts';

export interface Foundation {
  /** As it was at the start. */
  readonly loaded: LoadedConfiguration;
  /** As it is in force now: for fields that a reload may change (reload/reloadable-fields.ts). */
  readonly live: LiveConfiguration;
  readonly clock: Clock;
  readonly logger: ProcessLogger;
  /** The life of the kubelet: what is started ends with it, newest first. */
  readonly scope: Scope;
  /** Made before the first call to the runtime, to count them all. */
  readonly metrics: NodeMetrics;
  /** Absent unless tracing is configured. */
  readonly tracer?: Tracer | undefined;
  /** Set for a kubelet that is a guest on the machine: it sees only the pods of this owner and tunes no kernel. */
  readonly podOwner?: string | undefined;
}

/** Runs a phase of the start; a debug line says how long it took. */
export async function phase<T>(
  { clock, logger }: Pick<Foundation, 'clock' | 'logger'>,
  name: string,
  run: () => T | Promise<T>,
): Promise<T> {
  const startedAtMs = clock.steady();
  const result = await run();
  logger.debug({ file: 'foundation', level: 2 }, 'phase of the start done', {
    phase: name,
    durationMs: Math.round(clock.steady() - startedAtMs),
  });
  return result;
}
