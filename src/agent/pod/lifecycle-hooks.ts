/**
 * The postStart and preStop hooks of containers. A preStop hook runs once in
 * the life of the agent: a pass that is cut short and repeated waits for the
 * run under way instead of starting another. It may outlive the wait for it;
 * it ends when its container is gone or the agent stops.
 */
import { sleep } from '../../base/async/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { LifecycleHandler } from '../../core/api/pod.ts';
import { podRef } from '../../core/api/pod-identity.ts';
import type { ContainerId, PodUid } from '../../core/model/ids.ts';
import { type HookResult, type HookTarget, type RunHookParts, runHook } from './run-hook.ts';

export interface LifecycleHooksParts extends RunHookParts {
  readonly logger: Logger;
}

interface PreStopRun {
  readonly podUid: string;
  readonly done: Promise<void>;
  readonly end: AbortController;
}

export class LifecycleHooks {
  readonly name = 'lifecycle hooks';
  readonly #parts: LifecycleHooksParts;
  readonly #preStops = new Map<ContainerId, PreStopRun>();
  readonly #stop = new AbortController();

  constructor(parts: LifecycleHooksParts) {
    this.#parts = parts;
  }

  /** Runs until the hook ends or `signal` aborts; a failure is recorded as an event and returned. */
  async postStart(handler: LifecycleHandler, target: HookTarget, signal: AbortSignal): Promise<HookResult> {
    const either = AbortSignal.any([signal, this.#stop.signal]);
    const result = await runHook(this.#parts, handler, target, either);
    if (!result.ok && !either.aborted) this.#recordFailure(target, 'PostStart', result.message);
    return result;
  }

  /** Waits for the hook, but no longer than `limitMs` and not once `signal` aborts. Never rejects. */
  async preStop(
    handler: LifecycleHandler,
    target: HookTarget,
    limitMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const run = this.#preStops.get(target.id) ?? this.#startPreStop(handler, target);
    const enough = new AbortController();
    const limit = sleep(this.#parts.clock, limitMs, AbortSignal.any([signal, enough.signal]));
    await Promise.race([run.done, limit]);
    enough.abort();
  }

  /** The container is gone: its hook need not be remembered, nor go on. */
  forget(id: ContainerId): void {
    this.#preStops.get(id)?.end.abort();
    this.#preStops.delete(id);
  }

  /** The pod is gone; a container of it may have ended by itself while its hook ran. */
  podGone({ uid }: { readonly uid: PodUid }): void {
    for (const [id, { podUid }] of this.#preStops) if (podUid === uid) this.forget(id);
  }

  /** Ends all hooks; the agent stops. */
  close(): void {
    this.#stop.abort();
  }

  #startPreStop(handler: LifecycleHandler, target: HookTarget): PreStopRun {
    const end = new AbortController();
    const signal = AbortSignal.any([end.signal, this.#stop.signal]);
    const done = runHook(this.#parts, handler, target, signal).then((result) => {
      if (!result.ok && !signal.aborted) this.#recordFailure(target, 'PreStop', result.message);
    });
    const run = { podUid: target.pod.metadata.uid, done, end };
    this.#preStops.set(target.id, run);
    return run;
  }

  /** What a hook printed goes to the log, never into an event. */
  #recordFailure({ pod, container, id }: HookTarget, hook: 'PostStart' | 'PreStop', err: string): void {
    const { events, logger } = this.#parts;
    logger.warn('lifecycle hook failed', {
      pod: podRef(pod),
      podUid: pod.metadata.uid,
      container: container.name,
      containerId: id,
      hook,
      err,
    });
    events.record({
      about: { pod, container: container.name },
      type: 'Warning',
      reason: `Failed${hook}Hook`,
      message: `${hook}Hook failed`,
    });
  }
}
