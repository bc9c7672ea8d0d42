import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../test/samples/sample-pod.ts';
import { toApiEvent, toEventName } from './api-event.ts';
import { toEventObject } from './event-subject.ts';

const AT_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

describe('toApiEvent', () => {
  const place = {
    name: 'shop.1f',
    nodeName: 'node-1',
    count: 3,
    firstAtMs: AT_MS - 60_000,
    isCombined: false,
  };

  it('points at a persistent volume, which is in no namespace', () => {
    const persistentVolume = { metadata: { name: 'pv-1', uid: 'u' }, spec: {} };
    assert.deepEqual(toEventObject({ persistentVolume }, 'node-1'), {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      name: 'pv-1',
      uid: 'u',
    });
  });

  it('reports a container in the namespace of its pod', () => {
    const object = toEventObject(
      { pod: samplePod({}, { resourceVersion: '7' }), container: 'web' },
      'node-1',
    );
    const occurrence = { object, type: 'Warning', reason: 'BackOff', message: 'm', atMs: AT_MS } as const;
    assert.deepEqual(toApiEvent(occurrence, place), {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'shop.1f', namespace: 'market' },
      involvedObject: {
        apiVersion: 'v1',
        kind: 'Pod',
        namespace: 'market',
        name: 'shop',
        uid: '0a1b-2c3d',
        resourceVersion: '7',
        fieldPath: 'spec.containers{web}',
      },
      reason: 'BackOff',
      message: 'm',
      type: 'Warning',
      source: { component: 'kubelet', host: 'node-1' },
      firstTimestamp: '2026-01-02T03:03:05Z',
      lastTimestamp: '2026-01-02T03:04:05Z',
      count: 3,
      reportingComponent: 'kubelet',
      reportingInstance: 'node-1',
    });
  });

  it('reports the node in the default namespace, without uid', () => {
    const object = toEventObject('node', 'node-1');
    const event = toApiEvent(
      { object, type: 'Normal', reason: 'Starting', message: 'm', atMs: AT_MS },
      place,
    );
    assert.equal(event.metadata.namespace, 'default');
    assert.deepEqual(event.involvedObject, { apiVersion: 'v1', kind: 'Node', name: 'node-1' });
  });

  it('has no reporting instance when it combines several', () => {
    const object = toEventObject('node', 'node-1');
    const occurrence = { object, type: 'Normal', reason: 'R', message: 'm', atMs: AT_MS } as const;
    const event = toApiEvent(occurrence, { ...place, isCombined: true });
    assert.ok(!('reportingComponent' in event) && !('reportingInstance' in event));
  });
});

describe('toEventName', () => {
  it('is the object and the time in hex', () => {
    assert.equal(toEventName('shop', 0x17abn, 'spare'), 'shop.17ab');
  });

  it('is the spare one when the name of the object is unfit or too long', () => {
    assert.equal(toEventName('Shop', 1n, 'spare'), 'spare');
    assert.equal(toEventName('a'.repeat(251), 0xfn, 'spare'), `${'a'.repeat(251)}.f`);
    assert.equal(toEventName('a'.repeat(252), 0xfn, 'spare'), 'spare');
  });
});
