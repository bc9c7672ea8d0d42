/**
 * Stops containers side by side. Each has its own grace: what its preStop
 * hook and waiting for others take is taken off it, and the runtime never
 * gets less than its minimum. It holds no place in the start gate, so a slow stop
 * delays no other pod.
 */
import { type Clock, sleep } from '../../base/async/clock.ts';
import { errorText } from '../../base/errors.ts';
import { quote } from '../../base/text/quote.ts';
import type { ContainerStop } from '../../core/model/actions.ts';
import type { ContainerId, PodUid } from '../../core/model/ids.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { podMembers } from '../../core/model/pod-containers.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { ContainerRuntime } from '../../ports/runtime/container-runtime.ts';
import type { LifecycleHooks } from '../pod/lifecycle-hooks.ts';
import { type ActionContext, done, type Performer } from '../pod/perform-action.ts';
import { toHookTarget } from './hook-target.ts';

/** The runtime gets at least this long between asking and killing. */
const MIN_STOP_SECONDS = 2;

export interface StopContainersParts {
  readonly runtime: ContainerRuntime;
  readonly clock: Clock;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly hooks: LifecycleHooks;
  readonly node: Pick<NodeProfile, 'nodeIps'>;
  /** Called for every instance the runtime has stopped. */
  readonly onStopped: (uid: PodUid, id: ContainerId) => void;
}

/** Fails with the first error after all others were tried; that a pod cannot be ended is worth an event. */
export function stopContainersPerformer(parts: StopContainersParts): Performer<'stop-containers'> {
  return async (action, context) => {
    const gone = new Map<ContainerId, Promise<void>>();
    const ordered = [...action.stops].sort((a, b) => a.after.length - b.after.length);
    for (const stop of ordered) gone.set(stop.id, stopContainer(parts, stop, context, gone));
    const results = await Promise.allSettled(gone.values());
    const failures = ordered.flatMap(({ name }, index) => {
      const result = results[index];
      return result?.status === 'rejected' ? [{ name, error: result.reason as unknown }] : [];
    });
    const [first] = failures;
    if (first === undefined) return done;
    const texts = failures.map(({ name, error }) =>
      renderSyncFailure('KillContainer', name, 'KillContainerError', error),
    );
    recordFailedKill(parts, context, texts);
    throw first.error;
  };
}

/** An interrupted stop, or a failed restart of a container, is only logged. */
export function recordFailedKill(
  { events }: Pick<StopContainersParts, 'events'>,
  { record, signal }: ActionContext,
  [text = '', ...more]: readonly string[],
): void {
  if (record.termination === undefined || signal.aborted) return;
  const message = `error killing pod: ${more.length === 0 ? text : `[${[text, ...more].join(', ')}]`}`;
  events.record({ about: { pod: record.pod }, type: 'Warning', reason: 'FailedKillPod', message });
}

/** A step of a pod that failed, as events have it. */
export function renderSyncFailure(step: string, target: string, reason: string, error: unknown): string {
  return `failed to ${quote(step)} for ${quote(target)} with ${reason}: ${quote(errorText(error))}`;
}

/**
 * Stops one container, after those of `gone` that it waits for. Rejects when
 * the runtime cannot stop it, or could not stop what has to end before it.
 */
export async function stopContainer(
  parts: StopContainersParts,
  stop: ContainerStop,
  context: ActionContext,
  gone: ReadonlyMap<ContainerId, Promise<void>> = new Map(),
): Promise<void> {
  const { runtime, clock, events, hooks } = parts;
  const { record, signal, label } = context;
  const { pod } = record;
  if (stop.message !== undefined) {
    events.record({
      about: { pod, container: stop.name },
      type: 'Normal',
      reason: 'Killing',
      message: stop.message,
    });
  }
  const startedMs = clock.steady();
  const leftMs = (): number => Math.max(0, stop.graceSeconds * 1000 - (clock.steady() - startedMs));
  await runPreStop(parts, stop, context, leftMs());
  const before = stop.after.map((id) => gone.get(id)).filter((promise) => promise !== undefined);
  if (before.length > 0 && stop.graceSeconds > 0) {
    const enough = new AbortController();
    const ended = await Promise.race([
      Promise.allSettled(before),
      sleep(clock, leftMs(), AbortSignal.any([signal, enough.signal])),
    ]);
    enough.abort();
    const failed = ended?.find((result) => result.status === 'rejected');
    const askedMs = record.termination?.countedFromMs ?? startedMs;
    // What it serves still runs: its turn comes with the next try, or when the grace is over.
    if (failed !== undefined && clock.steady() < askedMs + stop.graceSeconds * 1000) throw failed.reason;
  }
  const graceSeconds = Math.max(MIN_STOP_SECONDS, Math.ceil(leftMs() / 1000));
  await runtime.stopContainer(stop.id, graceSeconds, { signal, label });
  hooks.forget(stop.id);
  parts.onStopped(record.uid, stop.id);
}

/** Before waiting for its turn: a sidecar's hook runs at once, only its stop signal is delayed. */
async function runPreStop(
  { hooks, node }: StopContainersParts,
  stop: ContainerStop,
  context: ActionContext,
  limitMs: number,
): Promise<void> {
  const member = podMembers(context.record.pod).find(({ container }) => container.name === stop.name);
  if (stop.preStop === undefined || stop.graceSeconds <= 0 || member === undefined) return;
  const target = toHookTarget(node, member.container, stop.id, context);
  await hooks.preStop(stop.preStop, target, limitMs, context.signal);
}
