/**
 * The API server as a source of pods that also works while it is away at the
 * start: after a short wait the pods of the last run are delivered instead.
 *
 *   waiting ──API server──► online
 *      └──5 s──► offline ──API server──► online (for good)
 *
 * Invariants: pods from the checkpoint never count as having seen the source,
 * so nothing is cleaned up for their absence; once the API server has spoken
 * only it counts; without a checkpoint nothing is delivered.
 */

import type { Kit } from '../../ports/kit.ts';
import type { DeliverPods, PodSource } from '../../ports/pod-source.ts';
import type { OfflineMemory } from './offline-memory.ts';

/** A reachable API server answers sooner, and a pod that was deleted meanwhile had better not start. */
const WAIT_MS = 5_000;

export interface ApiSourceWithFallbackParts extends Pick<Kit, 'clock' | 'logger'> {
  readonly source: PodSource;
  readonly memory: Pick<OfflineMemory, 'pods' | 'rememberPods' | 'flush'>;
}

export class ApiSourceWithFallback implements PodSource {
  readonly name = 'api';
  readonly #parts: ApiSourceWithFallbackParts;
  #state: 'waiting' | 'offline' | 'online' = 'waiting';

  constructor(parts: ApiSourceWithFallbackParts) {
    this.#parts = parts;
  }

  /** The pods that run were brought back without the API server. */
  get isOffline(): boolean {
    return this.#state === 'offline';
  }

  async run(stop: AbortSignal, deliver: DeliverPods): Promise<void> {
    const { source, memory, clock, logger } = this.#parts;
    using _timer = clock.startTimer(WAIT_MS, () => {
      const { pods } = memory;
      if (this.#state !== 'waiting' || pods === undefined) return;
      this.#state = 'offline';
      logger.warn('API server unreachable, using its pods from the checkpoint', {
        pods: pods.length,
      });
      deliver(pods, false);
    });
    await source.run(stop, (pods, complete, changes) => {
      if (this.#state === 'offline')
        logger.info('API server reachable again, using its pods', { pods: pods.length });
      this.#state = 'online';
      memory.rememberPods(pods, changes);
      deliver(pods, complete, changes);
    });
    await memory.flush();
  }
}
