/**
 * Has memory looked at as soon as the kernel reports that pods met their common
 * limit (`kernelMemcgNotification`), instead of at the evictor's next look. It
 * only wakes.
 */

import { whenAborted } from '../../base/async/when-aborted.ts';
import { errorText } from '../../base/errors.ts';
import type { PodMemoryLimit } from '../../ports/host/pod-memory-limit.ts';
import type { Kit } from '../../ports/kit.ts';
import type { Evictor } from './evictor.ts';

/** Pods at their limit meet it again and again. */
const LEAST_GAP_MS = 10_000;

export interface MemoryLimitWakeParts {
  readonly kit: Pick<Kit, 'clock' | 'logger'>;
  readonly limit: PodMemoryLimit;
  readonly evictor: Pick<Evictor, 'wake'>;
}

export class MemoryLimitWake {
  readonly name = 'memory limit';
  readonly #parts: MemoryLimitWakeParts;
  #wokeAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: MemoryLimitWakeParts) {
    this.#parts = parts;
  }

  async run(stop: AbortSignal): Promise<void> {
    const { kit, limit } = this.#parts;
    try {
      using _watch = limit.watch(() => this.#onMet());
      await whenAborted(stop);
    } catch (error) {
      kit.logger.warn('the kernel does not report the memory limit of pods', { err: errorText(error) });
    }
  }

  #onMet(): void {
    const { kit, evictor } = this.#parts;
    const nowMs = kit.clock.steady();
    if (nowMs - this.#wokeAtMs < LEAST_GAP_MS) return;
    this.#wokeAtMs = nowMs;
    kit.logger.debug({ file: 'memory-limit-wake', level: 2 }, 'pods met their common memory limit');
    evictor.wake('memory limit of pods');
  }
}
