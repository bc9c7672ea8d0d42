import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  findCoveringMount,
  findFsTypeAt,
  findMountsBelow,
  findOtherMounts,
  type MountPoint,
  parseMountinfo,
} from './mountinfo.ts';

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
      mountPoint({ id: '27', parentId: '1', path: '/', superOptions: ['rw', 'discard'] }),
      mountPoint({
        id: '32',
        parentId: '31',
        isShared: true,
        path: '/sys/fs/cgroup/cpu',
        device: '0:29',
        fsType: 'cgroup',
        source: 'cgroup',
        superOptions: ['rw', 'cpu', 'cpuacct'],
      }),
      mountPoint({ id: '41', parentId: '27', path: '/var/lib/a b/c\\d', superOptions: ['rw'] }),
    ]);
  });
});

function mountPoint(facts: Partial<MountPoint> & Pick<MountPoint, 'path'>): MountPoint {
  const ext4 = { device: '254:0', fsType: 'ext4', source: '/dev/vda' };
  return { id: '', parentId: '', isShared: false, ...ext4, superOptions: [], ...facts };
}

/** `id parent path` in the kernel's order. */
const table = (...lines: string[]): MountPoint[] =>
  lines.map((line) => {
    const [id = '', parentId = '', path = ''] = line.split(' ');
    return mountPoint({ id, parentId, path });
  });

describe('findCoveringMount', () => {
  it('is the deepest that holds the path, of two on one place the later', () => {
    const mounts = table('1 0 /', '2 1 /a', '3 2 /a', '4 1 /ab');
    const covering = (path: string) => findCoveringMount(mounts, path)?.id;
    assert.deepEqual(['/', '/a', '/a/x', '/ab', '/abc'].map(covering), ['1', '3', '3', '4', '1']);
  });
});

describe('findOtherMounts', () => {
  it('has the places of the same directory of the same device, and no other', () => {
    const table = [
      '30 1 8:16 / /plugins/iscsi/disk rw - ext4 /dev/sdb rw',
      '31 1 8:16 / /pods/a/volumes/x rw - ext4 /dev/sdb rw',
      '32 1 8:16 /part /pods/a/volumes/y rw - ext4 /dev/sdb rw',
      '33 1 8:32 / /pods/a/volumes/z rw - ext4 /dev/sdc rw',
    ].join('\n');
    assert.deepEqual(findOtherMounts(table, '/pods/a/volumes/x'), ['/plugins/iscsi/disk']);
    assert.deepEqual(findOtherMounts(table, '/pods/a/volumes/y'), []);
    assert.deepEqual(findOtherMounts(table, '/nowhere'), []);
  });
});

describe('findMountsBelow', () => {
  const mounts = table('1 0 /', '4 3 /pods/a/v', '3 1 /pods/a', '5 1 /pods/ab');
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

  it('ends when a mount is its own ancestor, as in a table read while it changes', () => {
    assert.deepEqual(findMountsBelow(table('2 3 /a', '3 2 /a/b'), '/'), ['/a', '/a/b']);
  });

  it('leaves out what a later mount has covered', () => {
    const covered = table(
      '1 0 /',
      '2 1 /root/pods/a',
      '3 2 /root/pods/a/in',
      '4 1 /root',
      '5 4 /root/pods/a',
    );
    assert.deepEqual(findMountsBelow(covered, '/root/pods'), ['/root/pods/a']);
    assert.deepEqual(findMountsBelow(covered.slice(0, 4), '/root/pods'), []);
    assert.deepEqual(findMountsBelow(covered, '/root'), ['/root', '/root/pods/a']);
  });
});

describe('findFsTypeAt', () => {
  const lines = [
    '1 0 0:1 / /a rw - ext4 /dev/a rw',
    '2 1 0:2 / /a/b rw shared:1 - tmpfs tmpfs rw',
    '3 2 0:3 /a /c rw - xfs d rw',
  ];
  const at = (path: string): string | undefined => findFsTypeAt(lines.join('\n'), path);

  it('is that of the mount at the very place, of two the later one', () => {
    assert.deepEqual([at('/a'), at('/a/b'), at('/c'), at('/')], [undefined, 'tmpfs', 'xfs', undefined]);
    lines.pop();
    assert.equal(at('/a'), 'ext4');
    lines.push('4 1 0:4 / /a rw - nfs4 s:/ rw');
    assert.equal(at('/a'), 'nfs4');
  });
});
