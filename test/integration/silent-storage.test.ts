/** File calls of this process at a file system that does not answer: they wait, all others go on. */
import '../../src/main/process/thread-count.ts';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat as statPlainly, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { LinuxHostFiles } from '../../src/adapters/linux/files/host-files.ts';
import { LinuxMounter } from '../../src/adapters/linux/mount/mounter.ts';
import {
  noticeMounts,
  open,
  readFile,
  stat,
  storageCalls,
} from '../../src/adapters/linux/storage/storage-fs.ts';
import { countWaitingThreads, FarFileSystem } from './far-file-system.ts';

const run = promisify(execFile);
const CALLS = 24;

describe('a file system that does not answer', { skip: !FarFileSystem.isPossible && 'no /dev/fuse' }, () => {
  it('holds two threads of this process, and the calls that wait have their answers later', {
    timeout: 25_000,
  }, async () => {
    await using far = await FarFileSystem.mount();
    await using other = await FarFileSystem.mount();
    const directory = await mkdtemp(join(tmpdir(), 'silent-'));
    try {
      const link = join(directory, 'link');
      await symlink(far.path, link);
      const file = await open(join(far.path, 'part/hello'), 'r');
      far.fallSilent();
      const calls = Array.from({ length: CALLS }, (_, index) =>
        stat(join(index % 2 === 0 ? far.path : link, 'part')),
      );
      const closed = file.close();
      assert.ok((await statPlainly('/')).isDirectory(), 'the rest of the process has threads');
      assert.ok((await stat(directory)).isDirectory(), 'so have the disks of the machine');
      assert.equal((await readFile(join(other.path, 'part/hello'))).toString(), 'served\n');
      assert.equal(await countWaitingThreads(process.pid), 2);
      assert.deepEqual(storageCalls.silent, [], 'it may still answer');
      far.answer();
      for (const found of await Promise.all(calls)) assert.ok(found.isDirectory());
      await closed;
    } finally {
      far.answer();
      await rm(directory, { recursive: true });
    }
  });

  it('can be unmounted, and is known to be there, without an answer', { timeout: 25_000 }, async () => {
    await using far = await FarFileSystem.mount();
    const directory = await mkdtemp(join(tmpdir(), 'silent-'));
    const mounter = new LinuxMounter();
    try {
      await run('mount', ['--bind', far.path, directory]);
      // Mounts of others are found within a quarter of a second, which is more than this test needs.
      noticeMounts();
      far.fallSilent();
      assert.ok(await new LinuxHostFiles().exists(directory));
      assert.deepEqual(await mounter.mountsBelow(directory), [directory]);
      await mounter.unmount(directory);
      assert.deepEqual(await mounter.mountsBelow(directory), []);
      assert.equal(await countWaitingThreads(process.pid), 0);
    } finally {
      far.answer();
      await rm(directory, { recursive: true });
    }
  });
});
