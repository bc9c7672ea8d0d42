import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findMountsBelow, parseMountinfo } from './mountinfo.ts';

const TEXT = [
  '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard',
  '32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime shared:9 master:2 - cgroup cgroup rw,cpu,cpuacct',
  '41 27 254:0 /srv/data /var/lib/a\\040b/c\\134d rw - ext4 /dev/vda rw',
  'not a mount',
  '',
].join('\n');

describe('parseMountinfo', () => {
  it('reads path, type and super options, with or without optional fields', () => {
    assert.deepEqual(parseMountinfo(TEXT), [
      { path: '/', fsType: 'ext4', superOptions: ['rw', 'discard'] },
      { path: '/sys/fs/cgroup/cpu', fsType: 'cgroup', superOptions: ['rw', 'cpu', 'cpuacct'] },
      { path: '/var/lib/a b/c\\d', fsType: 'ext4', superOptions: ['rw'] },
    ]);
  });
});

describe('findMountsBelow', () => {
  const mounts = ['/', '/pods/a/v', '/pods/a', '/pods/ab'].map((path) => ({
    path,
    fsType: 'tmpfs',
    superOptions: [],
  }));
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['/pods/a', ['/pods/a', '/pods/a/v']],
    ['/pods', ['/pods/a', '/pods/a/v', '/pods/ab']],
    ['/pods/a/v/deeper', []],
    ['/', ['/', '/pods/a', '/pods/a/v', '/pods/ab']],
  ];
  for (const [path, expected] of cases)
    it(`finds ${expected.length} at or below ${path}`, () => {
      assert.deepEqual(findMountsBelow(mounts, path), expected);
    });
});
