import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import { LogEventRecorder } from './log-event-recorder.ts';

test('LogEventRecorder writes each event as one line with its reason, by its type', () => {
  const logger = new RecordingLogger();
  const events = new LogEventRecorder(logger);
  const pod = samplePod();
  const fieldPath = 'spec.containers{main}';
  events.record({ about: { pod, container: 'main' }, type: 'Warning', reason: 'BackOff', message: 'slow' });
  events.record({ about: { pod }, type: 'Normal', reason: 'Pulled', message: 'there' });
  events.record({ about: 'node', type: 'Normal', reason: 'Starting', message: 'Starting kubelet.' });
  const web = { pod: 'default/web', podUid: 'uid-1' };
  assert.deepEqual(logger.lines, [
    {
      severity: 'warning',
      message: 'event',
      fields: { ...web, object: fieldPath, reason: 'BackOff', message: 'slow' },
    },
    {
      severity: 'info',
      message: 'event',
      fields: { ...web, object: undefined, reason: 'Pulled', message: 'there' },
    },
    {
      severity: 'info',
      message: 'event',
      fields: { object: 'node', reason: 'Starting', message: 'Starting kubelet.' },
    },
  ]);
});
