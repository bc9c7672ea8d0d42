import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samplePod, UID } from '../../../test/samples/sample-pods.ts';
import { CONFIG_SOURCE_ANNOTATION } from '../../core/api/pod-identity.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import { startRank } from './start-rank.ts';

test('startRank puts static and system pods before others, and older before newer', () => {
  const record = (order: number, pod = samplePod()): DesiredPod => ({ uid: UID, pod, source: 'api', order });
  const fixed = samplePod({}, { metadata: { annotations: { [CONFIG_SOURCE_ANNOTATION]: 'file' } } });
  const inOrder = [
    record(1, fixed),
    record(900_000, samplePod({ priority: 2_000_000_000 })),
    record(900_001, fixed),
    record(0),
    record(2, samplePod({ priority: 1_999_999_999 })),
    record(900_002),
  ].map(startRank);
  assert.deepEqual(
    inOrder,
    inOrder.toSorted((a, b) => a - b),
  );
  assert.equal(new Set(inOrder).size, inOrder.length);
});
