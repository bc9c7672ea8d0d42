/**
 * Stops containers side by side. Each has its own grace: what waiting for
 * others takes is taken off it, and the runtime never gets less than its
 * minimum. Holding no place in the start gate, a slow end delays nobody.
 */
import { type Clock, sleep } from '../../base/clock.ts';
import { errorText } from '../../base/errors.ts';
import type { ContainerStop } from '../../core/pod/actions.ts';
import { toContainerFieldPath } from '../../core/pod/field-path.ts';
import type { ContainerId } from '../../core/pod/ids.ts';
import type { ContainerRuntime } from '../../ports/container-runtime.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import { type ActionContext, done, type Performer } from '../perform-action.ts';

/** The runtime gets at least this long between asking and killing. */
const MIN_STOP_SECONDS = 2;

export interface StopContainersParts {
  readonly runtime: ContainerRuntime;
  readonly clock: Clock;
  readonly events: EventRecorder;
}

/** Fails with the first error after all others were tried. */
export function createStopContainers(parts: StopContainersParts): Performer<'stop-containers'> {
  return async (action, context) => {
    const gone = new Map<ContainerId, Promise<void>>();
    const ordered = [...action.stops].sort((a, b) => a.after.length - b.after.length);
    for (const stop of ordered) gone.set(stop.id, stopOne(parts, stop, context, gone));
    const results = await Promise.allSettled(gone.values());
    const failure = results.find((result) => result.status === 'rejected');
    if (failure === undefined) return done;
    const message = `error killing pod: ${errorText(failure.reason)}`;
    parts.events.record({ pod: context.record.pod, type: 'Warning', reason: 'FailedKillPod', message });
    throw failure.reason;
  };
}

async function stopOne(
  { runtime, clock, events }: StopContainersParts,
  stop: ContainerStop,
  { record, signal, label }: ActionContext,
  gone: ReadonlyMap<ContainerId, Promise<void>>,
): Promise<void> {
  const { pod } = record;
  if (stop.message !== undefined) {
    const fieldPath = toContainerFieldPath(pod, stop.name);
    events.record({ pod, fieldPath, type: 'Normal', reason: 'Killing', message: stop.message });
  }
  const startedMs = clock.now();
  const leftMs = (): number => Math.max(0, stop.graceSeconds * 1000 - (clock.now() - startedMs));
  const before = stop.after.map((id) => gone.get(id)).filter((promise) => promise !== undefined);
  if (before.length > 0 && stop.graceSeconds > 0) {
    const enough = new AbortController();
    await Promise.race([
      Promise.allSettled(before),
      sleep(clock, leftMs(), AbortSignal.any([signal, enough.signal])),
    ]);
    enough.abort();
  }
  const graceSeconds = Math.max(MIN_STOP_SECONDS, Math.ceil(leftMs() / 1000));
  await runtime.stopContainer(stop.id, graceSeconds, { signal, label });
}
