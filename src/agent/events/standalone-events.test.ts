import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import type { RecordedEvent } from '../../ports/event-recorder.ts';
import { StandaloneEvents } from './standalone-events.ts';

describe('StandaloneEvents', () => {
  it('reports missing cluster DNS once, of the node, and everything else as it comes', () => {
    const recorded: RecordedEvent[] = [];
    const events = new StandaloneEvents({ record: (event) => void recorded.push(event) });
    const warning = { type: 'Warning', reason: 'MissingClusterDNS', message: 'no DNS' } as const;
    for (let pod = 0; pod < 2; pod++) {
      events.record({ ...warning, about: 'node' });
      events.record({ ...warning, about: { pod: samplePod() } });
      events.record({ ...warning, reason: 'BackOff', about: { pod: samplePod() } });
    }
    const seen = recorded.map(({ reason, about }) => `${reason} ${about === 'node' ? 'node' : 'pod'}`);
    assert.deepEqual(seen, ['MissingClusterDNS node', 'BackOff pod', 'BackOff pod']);
  });
});
