/**
 * Reports a pull that takes long. The runtime reports no progress; that the
 * pull still waits or runs is all that can be said.
 */
import { renderGoDuration } from '../../base/text/go-duration.ts';
import type { Pod } from '../../core/api/pod.ts';
import { podRef } from '../../core/api/pod-identity.ts';
import type { Kit } from '../../ports/kit.ts';
import type { PullState } from './shared-pulls.ts';

/** A pull that takes longer is reported, and again each time its duration doubles. */
const LONG_PULL_MS = 60_000;

export interface WatchedPull {
  readonly pod: Pod;
  readonly image: string;
  readonly readState: () => PullState | undefined;
  /** With the text for an event. */
  readonly onLong: (message: string) => void;
}

/** Watches from now on; dispose the result when the pull has ended. */
export function watchLongPull(
  { clock, logger }: Pick<Kit, 'clock' | 'logger'>,
  { pod, image, readState, onLong }: WatchedPull,
): Disposable {
  const startedMs = clock.steady();
  let timer: Disposable;
  const arm = (afterMs: number): void => {
    timer = clock.startTimer(startedMs + afterMs - clock.steady(), () => {
      const elapsed = renderGoDuration(afterMs);
      const queued = readState() === 'queued';
      logger.info('image pull still running', { pod: podRef(pod), image, elapsedMs: afterMs, queued });
      onLong(
        queued
          ? `Image "${image}" has waited for other pulls for ${elapsed}`
          : `Still pulling image "${image}" after ${elapsed}`,
      );
      arm(afterMs * 2);
    });
  };
  arm(LONG_PULL_MS);
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}
