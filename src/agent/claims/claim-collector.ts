/**
 * Takes back claims of pods that are over but did not get to it themselves:
 * their driver was away, or they ended while the agent was not there.
 */
import { sleep } from '../../base/async/clock.ts';
import { errorText } from '../../base/errors.ts';
import type { Kit } from '../../ports/kit.ts';
import type { ClaimPreparer } from './claim-preparer.ts';
import type { ClaimStore } from './claim-store.ts';

const PERIOD_MS = 60_000;

export interface ClaimCollectorParts {
  readonly kit: Pick<Kit, 'clock' | 'logger'>;
  readonly store: Pick<ClaimStore, 'all'>;
  readonly preparer: Pick<ClaimPreparer, 'unprepare'>;
  /** Whether the pod is over; false for all while that cannot be known. */
  readonly isGone: (podUid: string) => boolean;
}

export class ClaimCollector {
  readonly name = 'claim collector';
  readonly #parts: ClaimCollectorParts;

  constructor(parts: ClaimCollectorParts) {
    this.#parts = parts;
  }

  async run(stop: AbortSignal): Promise<void> {
    const { clock } = this.#parts.kit;
    while (!stop.aborted) {
      await sleep(clock, PERIOD_MS, stop);
      if (!stop.aborted) await this.#collect(stop);
    }
  }

  async #collect(stop: AbortSignal): Promise<void> {
    const { store, preparer, kit, isGone } = this.#parts;
    const users = new Set(store.all().flatMap(({ podUids }) => [...podUids]));
    for (const podUid of users) {
      if (!isGone(podUid)) continue;
      await preparer.unprepare(podUid, stop).catch((error: unknown) => {
        if (!stop.aborted)
          kit.logger.warn('cannot unprepare the claims of a pod', { podUid, err: errorText(error) });
      });
    }
  }
}
