import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PodQosClass } from '../api/pod-status.ts';
import {
  parseCgroupPath,
  podCgroupName,
  podsCgroupName,
  podUidOfCgroup,
  qosCgroupName,
  toCgroupPath,
} from './cgroup-names.ts';

const UID = '0a1b-2c3d';

const pods: [PodQosClass, root: string, cgroupfs: string, systemd: string][] = [
  ['Guaranteed', '/', '/kubepods/pod0a1b-2c3d', '/kubepods.slice/kubepods-pod0a1b_2c3d.slice'],
  [
    'Burstable',
    '',
    '/kubepods/burstable/pod0a1b-2c3d',
    '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0a1b_2c3d.slice',
  ],
  [
    'BestEffort',
    '/',
    '/kubepods/besteffort/pod0a1b-2c3d',
    '/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod0a1b_2c3d.slice',
  ],
  [
    'Guaranteed',
    '/foo',
    '/foo/kubepods/pod0a1b-2c3d',
    '/foo.slice/foo-kubepods.slice/foo-kubepods-pod0a1b_2c3d.slice',
  ],
];

describe('toCgroupPath', () => {
  for (const [qos, root, cgroupfs, systemd] of pods) {
    it(`writes a ${qos} pod below "${root}" for both drivers and reads it back`, () => {
      const name = podCgroupName(root, qos, UID);
      assert.equal(toCgroupPath(name, 'cgroupfs'), cgroupfs);
      assert.equal(toCgroupPath(name, 'systemd'), systemd);
      assert.deepEqual(parseCgroupPath(cgroupfs, 'cgroupfs'), name);
      assert.deepEqual(parseCgroupPath(systemd, 'systemd'), name);
    });
  }

  it('writes the levels above pods', () => {
    assert.equal(toCgroupPath(podsCgroupName('/'), 'systemd'), '/kubepods.slice');
    assert.equal(toCgroupPath(qosCgroupName('/', 'Guaranteed'), 'cgroupfs'), '/kubepods');
    assert.equal(
      toCgroupPath(qosCgroupName('/', 'Burstable'), 'systemd'),
      '/kubepods.slice/kubepods-burstable.slice',
    );
  });

  it('writes the root as a slash', () => {
    assert.equal(toCgroupPath([], 'systemd'), '/');
    assert.equal(toCgroupPath([], 'cgroupfs'), '/');
    assert.deepEqual(parseCgroupPath('/', 'systemd'), []);
  });
});

describe('podUidOfCgroup', () => {
  const cases: [readonly string[], string | undefined][] = [
    [['kubepods', 'pod12-34'], '12-34'],
    [['kubepods', 'burstable', 'podabc'], 'abc'],
    [['kubepods', 'burstable'], undefined],
    [['kubepods', 'podpod1'], undefined],
    [['kubepods'], undefined],
    [[], undefined],
  ];
  for (const [name, uid] of cases) {
    it(`${JSON.stringify(name)} is ${uid}`, () => assert.equal(podUidOfCgroup(name), uid));
  }
});
