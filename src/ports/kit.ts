/**
 * What nearly every part of the agent needs, as one value: time, the log,
 * chance, events, counts and spans. Nothing else belongs here; a class takes the
 * fields it uses (`Pick<Kit, 'clock' | 'logger'>`).
 */
import type { Clock } from '../base/async/clock.ts';
import type { Logger } from '../base/log.ts';
import type { AgentMeter } from './agent-meter.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { Tracer } from './tracer.ts';

export interface Kit {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Uniform in [0, 1); spreads retries. */
  readonly random: () => number;
  readonly events: EventRecorder;
  readonly meter: AgentMeter;
  /** Absent unless tracing is configured. */
  readonly tracer?: Tracer | undefined;
}
