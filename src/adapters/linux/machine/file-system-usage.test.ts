import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, statfs, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  mayHang,
  readDeviceBytes,
  readFileSystemType,
  readFileSystemUsage,
  readRemoteUsage,
} from './file-system-usage.ts';

const { signal } = new AbortController();

describe('readFileSystemUsage and readRemoteUsage', () => {
  it('report the same for a file system that answers', async () => {
    const [own, other] = [await readFileSystemUsage('/proc'), await readRemoteUsage('/proc', signal)];
    assert.deepEqual(other, own);
    const { blocks, bsize } = await statfs('/');
    const root = await readRemoteUsage('/', signal);
    assert.equal(root.capacityBytes, blocks * bsize);
    assert.equal((await readFileSystemUsage('/')).inodes, root.inodes);
  });

  it('reject for a place that is not there', async () => {
    await assert.rejects(readFileSystemUsage('/nowhere'), /cannot measure "\/nowhere"/);
    await assert.rejects(readRemoteUsage('/nowhere', signal), /cannot measure "\/nowhere"/);
  });

  it('do not begin when the caller has given up', async () => {
    await assert.rejects(readRemoteUsage('/', AbortSignal.abort()), /no longer wanted/);
  });
});

describe('readFileSystemType', () => {
  it('finds the mount of a place by its real name, without a look at the place', async () => {
    assert.equal(await readFileSystemType('/proc/self'), 'proc');
    const directory = await mkdtemp(join(tmpdir(), 'type-'));
    await symlink('/proc', join(directory, 'link'));
    assert.equal(await readFileSystemType(join(directory, 'link', 'nothing-there')), 'proc');
    await rm(directory, { recursive: true });
  });
});

describe('mayHang', () => {
  it('is true for what waits for a server or a program', () => {
    for (const type of ['nfs', 'nfs4', 'cifs', 'ceph', 'fuse.sshfs', 'fuse', '9p'])
      assert.ok(mayHang(type), type);
    for (const type of ['ext4', 'xfs', 'btrfs', 'tmpfs', 'overlay', 'zfs', ''])
      assert.ok(!mayHang(type), type);
  });
});

describe('readDeviceBytes', () => {
  it('reads the size of a device from its number', async () => {
    const sys = await mkdtemp(join(tmpdir(), 'sys-dev-block-'));
    // Every machine has this one, number 1:3; the table is ours.
    await mkdir(join(sys, '1:3'));
    await writeFile(join(sys, '1:3', 'size'), '2048\n');
    assert.equal(await readDeviceBytes('/dev/null', sys), 1024 * 1024);
    await rm(sys, { recursive: true });
  });

  it('rejects for what is no device', async () => {
    await assert.rejects(readDeviceBytes('/etc/passwd'), /cannot measure "\/etc\/passwd"/);
  });
});
