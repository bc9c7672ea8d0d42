import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { devicePod, RESOURCE, wants } from '../../../test/samples/sample-devices.ts';
import { isDeviceResourceName, requestsOf } from './device-requests.ts';
import { mergeGrants } from './merge-grants.ts';
import { countPodDevices } from './pod-device-count.ts';

describe('isDeviceResourceName', () => {
  const cases: [string, boolean][] = [
    ['x.io/dev', true],
    ['nvidia.com/gpu', true],
    ['x/dev', true],
    ['dev', false],
    ['cpu', false],
    ['kubernetes.io/dev', false],
    ['x.kubernetes.io/dev', false],
    ['requests.x.io/dev', false],
    ['x.io/', false],
    ['/dev', false],
    ['x.io/a/b', false],
    ['X.io/dev', false],
    ['x.io/-dev', false],
    [`x.io/${'d'.repeat(64)}`, false],
    [`${'x'.repeat(63)}.${'y'.repeat(63)}.${'z'.repeat(63)}.${'w'.repeat(60)}/dev`, false],
    ['x.io/dev\n', false],
  ];
  for (const [name, expected] of cases)
    it(`${JSON.stringify(name).slice(0, 40)}: ${expected}`, () =>
      assert.equal(isDeviceResourceName(name), expected));
});

describe('requestsOf', () => {
  it('extended resources of the limits, by name, without those of none', () => {
    const limits = { 'y.io/b': '2', 'x.io/a': '1', 'z.io/c': '0', cpu: '1', 'hugepages-2Mi': '4Mi' };
    assert.deepEqual(requestsOf({ resources: { limits } }), [
      { resource: 'x.io/a', count: 1 },
      { resource: 'y.io/b', count: 2 },
    ]);
  });
});

describe('countPodDevices', () => {
  it('what runs at one time counts: sidecars with what comes after them', () => {
    const side = wants('s', 2, { restartPolicy: 'Always' });
    const count = (main: number[], init: Parameters<typeof devicePod>[2]) =>
      countPodDevices(
        devicePod(
          'p',
          main.map((one, at) => wants(`c${at}`, one)),
          init,
        ),
        RESOURCE,
      );
    assert.equal(count([1, 2], []), 3);
    assert.equal(count([1], [wants('i', 4)]), 4);
    assert.equal(count([1], [side, wants('i', 4)]), 6);
    assert.equal(count([1], [wants('i', 4), side]), 4);
    assert.equal(count([3], [side]), 5);
  });
});

describe('mergeGrants', () => {
  it('of two values the first counts', () => {
    const grant = (value: string) => ({
      env: [{ name: 'A', value }],
      mounts: [{ containerPath: '/m', hostPath: value, readOnly: true }],
      devices: [{ containerPath: '/dev/d', hostPath: value, permissions: 'rw' }],
      annotations: { k: value },
      cdiDevices: ['x.io/d=1'],
    });
    assert.deepEqual(mergeGrants([grant('1'), grant('2')]), grant('1'));
  });
});
