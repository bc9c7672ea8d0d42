import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RecordedEvent } from '../../ports/event-recorder.ts';
import { recordSetupFailure, recordStart } from './start-events.ts';

describe('events of a start', () => {
  it('are of the node, in upstream’s words', () => {
    const recorded: RecordedEvent[] = [];
    const events = { record: (event: RecordedEvent) => void recorded.push(event) };
    recordStart(events);
    recordSetupFailure(events, new Error('the port is taken'));
    assert.deepEqual(recorded, [
      { about: 'node', type: 'Normal', reason: 'Starting', message: 'Starting kubelet.' },
      { about: 'node', type: 'Warning', reason: 'KubeletSetupFailed', message: 'the port is taken' },
    ]);
  });
});
