/** Events of the node about the start of the agent, in the words of upstream. */
import { errorText } from '../../base/errors.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';

export function recordStart(events: Pick<EventRecorder, 'record'>): void {
  events.record({ about: 'node', type: 'Normal', reason: 'Starting', message: 'Starting kubelet.' });
}

/** The agent cannot start and ends. */
export function recordSetupFailure(events: Pick<EventRecorder, 'record'>, error: unknown): void {
  events.record({ about: 'node', type: 'Warning', reason: 'KubeletSetupFailed', message: errorText(error) });
}
