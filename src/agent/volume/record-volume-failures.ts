/** The events of a set-up that failed. */
import type { Pod } from '../../core/api/pod.ts';
import { type FailedVolume, renderMountEvent, renderProcessEvent } from '../../core/volume/volume-source.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';

/** One event for each volume that failed, and one for all that no driver was asked for. */
export function recordVolumeFailures(
  events: Pick<EventRecorder, 'record'>,
  pod: Pod,
  unmounted: readonly string[],
  problems: readonly FailedVolume[],
): void {
  for (const { innerName, stage, message } of problems)
    if (stage !== 'process')
      events.record({ about: { pod }, type: 'Warning', ...renderMountEvent(innerName, stage, message) });
  const early = problems.filter(({ stage }) => stage === 'process');
  if (early.length === 0) return;
  const message = renderProcessEvent(unmounted, early);
  events.record({ about: { pod }, type: 'Warning', reason: 'FailedMount', message });
}
