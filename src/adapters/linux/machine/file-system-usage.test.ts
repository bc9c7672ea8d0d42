import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, statfs, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readDeviceBytes, readFileSystemType, readFileSystemUsage } from './file-system-usage.ts';

describe('readFileSystemUsage', () => {
  it('reports what the kernel says', async () => {
    const { blocks, bsize, files } = await statfs('/');
    const { capacityBytes, inodes } = await readFileSystemUsage('/');
    assert.deepEqual([capacityBytes, inodes], [blocks * bsize, files]);
  });

  it('rejects for a place that is not there', async () => {
    await assert.rejects(readFileSystemUsage('/nowhere'), /cannot measure "\/nowhere"/);
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
