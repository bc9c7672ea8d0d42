import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleContainer } from '../../../test/samples/sample-pod.ts';
import { toDevices } from './devices.ts';

const blocks = new Map([
  ['rw', { hostPath: '/map/rw', readOnly: false }],
  ['ro', { hostPath: '/map/ro', readOnly: true }],
  ['absent', { readOnly: false }],
]);
const devices = (name: string, devicePath = '/dev/xvda') =>
  toDevices(sampleContainer({ volumeDevices: [{ name, devicePath }] }), [], blocks);

describe('toDevices', () => {
  it('gives block volumes with the rights they allow', () => {
    assert.deepEqual(devices('rw'), {
      ok: true,
      value: [{ containerPath: '/dev/xvda', hostPath: '/map/rw', permissions: 'mrw' }],
    });
    assert.deepEqual(devices('ro'), {
      ok: true,
      value: [{ containerPath: '/dev/xvda', hostPath: '/map/ro', permissions: 'r' }],
    });
    assert.deepEqual(devices('absent'), { ok: true, value: [] });
  });

  it('puts allocated devices first', () => {
    const gpu = { containerPath: '/dev/gpu', hostPath: '/dev/gpu0', permissions: 'mrw' };
    const container = sampleContainer({ volumeDevices: [{ name: 'rw', devicePath: '/dev/a' }] });
    const result = toDevices(container, [gpu], blocks);
    assert.ok(result.ok);
    assert.deepEqual(
      result.value.map((device) => device.containerPath),
      ['/dev/gpu', '/dev/a'],
    );
  });

  it('refuses relative paths and unknown volumes', () => {
    assert.deepEqual(devices('rw', 'dev/a'), {
      ok: false,
      message: 'error DevicePath `dev/a` must be an absolute path',
    });
    assert.equal(devices('rw', '/dev/../../etc/a').ok, false);
    assert.deepEqual(devices('gone'), {
      ok: false,
      message: 'cannot find volume "gone" to pass into container "web"',
    });
  });
});
