import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isInMemory, mayHang, StorageMounts } from './storage-mounts.ts';

const OWN_DISK = '20 1 254:0 / / rw - ext4 /dev/vda rw';
const PODS = '/var/lib/kubelet/pods/0b/volumes';

function setUp(lines: readonly string[], links: Readonly<Record<string, string>> = {}) {
  let table = [OWN_DISK, ...lines].join('\n');
  let nowMs = 0;
  const [reads, asked]: [string[], string[]] = [[], []];
  const mounts = new StorageMounts({
    now: () => nowMs,
    readTable: () => {
      reads.push(table);
      return table;
    },
    readLink: async (path) => {
      asked.push(path);
      return links[path];
    },
  });
  return {
    ...{ mounts, reads, asked },
    change: (...added: string[]) => {
      table = [table, ...added].join('\n');
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe('isInMemory', () => {
  it('is what always answers, and nothing that may hang or lies on a disk', () => {
    for (const fsType of ['tmpfs', 'ramfs', 'hugetlbfs']) assert.ok(isInMemory(fsType) && !mayHang(fsType));
    for (const fsType of ['ext4', 'xfs', 'nfs4', 'fuse.sshfs', 'tmpfs2']) assert.ok(!isInMemory(fsType));
  });
});

describe('StorageMounts', () => {
  it('finds what may not answer: servers, programs, and disks that are mounted for volumes', () => {
    const { mounts } = setUp([
      '21 20 0:50 / /mnt/nfs rw - nfs4 files.example:/exports/a rw',
      '22 20 0:51 / /mnt/shown rw - fuse.sshfs me@host: rw',
      `23 20 8:16 / ${PODS}/kubernetes.io~iscsi/disk rw - ext4 /dev/sdb rw`,
      `24 20 0:52 / ${PODS}/kubernetes.io~secret/s rw - tmpfs tmpfs rw`,
      `25 20 254:0 /srv ${PODS}/kubernetes.io~local-volume/l rw - ext4 /dev/vda rw`,
      '26 20 8:32 / /mnt/second rw - xfs /dev/sdc rw',
      '27 20 0:53 / /proc/sys/fs/binfmt_misc rw - autofs systemd-1 rw',
    ]);
    const at = (path: string): string | undefined => mounts.find(path)?.source;
    assert.equal(at('/mnt/nfs'), 'files.example:/exports/a');
    assert.equal(at('/mnt/nfs/deep/inside'), 'files.example:/exports/a');
    assert.equal(at('/mnt/nfs-other'), undefined);
    assert.equal(at('/mnt/shown/x'), 'me@host:');
    assert.equal(at(`${PODS}/kubernetes.io~iscsi/disk/x`), '/dev/sdb');
    for (const own of ['/', '/etc', '/mnt/second/x', '/proc/sys/fs/binfmt_misc'])
      assert.equal(at(own), undefined, own);
    assert.equal(at(`${PODS}/kubernetes.io~secret/s/x`), undefined);
    assert.equal(at(`${PODS}/kubernetes.io~local-volume/l/x`), undefined);
  });

  it('knows which of them fall silent together', () => {
    const { mounts } = setUp([
      '21 20 0:50 / /a rw - nfs4 files.example:/exports/a rw',
      '22 20 0:51 / /b rw - nfs files.example:/exports/b rw',
      '23 20 0:52 / /c rw - nfs4 [fd00::1]:/c rw',
      '24 20 0:53 / /d rw - cifs //files.example/share rw',
      '25 20 0:54 / /e rw - fuse program rw',
      '26 20 0:54 /part /f rw - fuse program rw',
      '27 20 0:55 / /g rw - fuse program rw',
    ]);
    const servers = ['/a', '/b', '/c', '/d', '/e', '/f', '/g'].map((path) => mounts.find(path)?.server);
    const expected = ['nfs files.example', 'nfs files.example', 'nfs [fd00::1]', 'cif files.example'];
    assert.deepEqual(servers, [...expected, '0:54', '0:54', '0:55']);
  });

  it('reads the table again after a while, or when something was mounted', () => {
    const { mounts, reads, change, pass } = setUp([]);
    assert.equal(mounts.find('/a'), undefined);
    change('21 20 0:50 / /a rw - nfs4 s:/a rw');
    assert.equal(mounts.find('/a'), undefined);
    mounts.expire();
    assert.equal(mounts.find('/a')?.device, '0:50');
    assert.ok(mounts.isMounted('0:50'));
    change('22 20 0:51 / /b rw - nfs4 s:/b rw');
    pass(249);
    assert.equal(mounts.isMounted('0:51'), false);
    pass(1);
    assert.ok(mounts.isMounted('0:51'));
    assert.equal(reads.length, 3);
  });

  it('follows links to a file system that may not answer, and does not look into it', async () => {
    const links = { '/data': 'far/disk', '/far': '/mnt/nfs/./exports', '/loop': 'loop' };
    const { mounts, asked } = setUp(['21 20 0:50 / /mnt/nfs rw - nfs4 s:/a rw'], links);
    assert.equal(await mounts.resolve('/data/deep'), '/mnt/nfs/exports/disk/deep');
    assert.equal(await mounts.resolve('/etc/../mnt/nfs/x'), '/mnt/nfs/x');
    assert.equal(await mounts.resolve('/mnt/own/x'), '/mnt/own/x');
    assert.equal(await mounts.resolve('/loop/x'), '/loop/x', 'as it is');
    assert.ok(
      asked.every((path) => !path.startsWith('/mnt/nfs')),
      asked.join(),
    );
    const before = asked.length;
    await mounts.resolve('/data/deep');
    assert.equal(asked.length, before, 'links are known for a while');
  });

  it('costs nothing on a machine without such file systems', () => {
    const { mounts, asked } = setUp([]);
    assert.equal(mounts.resolve('/data/deep'), '/data/deep');
    assert.deepEqual(asked, []);
  });
});

describe('mayHang', () => {
  it('is true for what waits for a server or a program', () => {
    for (const type of ['nfs', 'nfs4', 'cifs', 'ceph', 'fuse.sshfs', 'fuse', '9p', 'autofs'])
      assert.ok(mayHang(type), type);
    for (const type of ['ext4', 'xfs', 'btrfs', 'tmpfs', 'overlay', 'zfs', 'fusectl', ''])
      assert.ok(!mayHang(type), type);
  });
});
