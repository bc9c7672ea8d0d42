import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../test/samples/sample-pod.ts';
import {
  NO_USAGE,
  pickByClaim,
  toAbnormalEvent,
  toFileSystemUsage,
  toMeasurement,
  type VolumeMeasurement,
} from './volume-usage.ts';

describe('toFileSystemUsage', () => {
  it('counts in bytes, with what only root may use neither available nor used', () => {
    const facts = { bsize: 4096, blocks: 100, bfree: 40, bavail: 30, files: 10, ffree: 4 };
    assert.deepEqual(toFileSystemUsage(facts), {
      capacityBytes: 409_600,
      availableBytes: 122_880,
      usedBytes: 245_760,
      inodes: 10,
      inodesFree: 4,
      inodesUsed: 6,
    });
  });
});

describe('toMeasurement', () => {
  const pod = samplePod({
    volumes: [
      { name: 'data', persistentVolumeClaim: { claimName: 'disk' } },
      { name: 'made', ephemeral: { volumeClaimTemplate: { spec: {} } } },
      { name: 'scratch', emptyDir: {} },
    ],
  });
  const claimOf = (volume: string) => toMeasurement(pod, volume, { usage: NO_USAGE }, 7).claim;
  const { namespace, name, uid } = pod.metadata;

  it('names the claim behind a volume, also one that was made for the pod', () => {
    assert.deepEqual(claimOf('data'), { namespace, name: 'disk' });
    assert.deepEqual(claimOf('made'), { namespace, name: `${name}-made` });
    assert.equal(claimOf('scratch'), undefined);
  });

  it('keeps pod, volume, time and what was read', () => {
    const condition = { abnormal: true, message: 'm' };
    assert.deepEqual(toMeasurement(pod, 'scratch', { usage: NO_USAGE, condition }, 7), {
      podUid: uid,
      volume: 'scratch',
      takenAtMs: 7,
      usage: NO_USAGE,
      condition,
    });
  });
});

describe('pickByClaim', () => {
  it('has one for each claim, the first, and none for volumes without one', () => {
    const one = (podUid: string, claim?: VolumeMeasurement['claim']): VolumeMeasurement => ({
      podUid,
      volume: 'v',
      takenAtMs: 0,
      usage: NO_USAGE,
      ...(claim === undefined ? {} : { claim }),
    });
    const shared = { namespace: 'a', name: 'c' };
    const picked = pickByClaim([
      one('1', shared),
      one('2', shared),
      one('3'),
      one('4', { namespace: 'b', name: 'c' }),
    ]);
    assert.deepEqual(
      picked.map(({ podUid }) => podUid),
      ['1', '4'],
    );
  });
});

describe('toAbnormalEvent', () => {
  it('reports an abnormal volume only, by the name the pod has for it', () => {
    assert.deepEqual(toAbnormalEvent('data', { abnormal: true, message: 'the disk is gone' }), {
      reason: 'VolumeConditionAbnormal',
      message: 'Volume data: the disk is gone',
    });
    assert.equal(toAbnormalEvent('data', { abnormal: false, message: 'fine' }), undefined);
    assert.equal(toAbnormalEvent('data', undefined), undefined);
  });
});
