import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, link, mkdir, mkdtemp, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { mountFailure, RecordingMounter } from '../../../test/fakes/recording-mounter.ts';
import { silentLogger } from '../../../test/fakes/text-logger.ts';
import { LinuxSubPathBinder } from './sub-path-binder.ts';

const logger = silentLogger;
let base: string;
let volume: string;
let mounter: RecordingMounter;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'sub-path-'));
  volume = join(base, 'volume');
  mounter = new RecordingMounter();
  await mkdir(volume);
  await chmod(volume, 0o2770);
  await mkdir(join(base, 'outside'));
  await writeFile(join(base, 'outside', 'precious'), 'kept');
});
afterEach(() => rm(base, { recursive: true }));

function bind(path: string, use = mounter) {
  const target = join(base, 'targets', 'main', '0');
  const binder = new LinuxSubPathBinder({ mounter: use, logger });
  return binder.bind({ volumePath: volume, path, target, signal: new AbortController().signal });
}

const target = (): string => join(base, 'targets', 'main', '0');
const inodeOf = async (path: string): Promise<number> => (await stat(path)).ino;
const bound = (): number | undefined => mounter.mounts.get(target())?.inode;

describe('LinuxSubPathBinder', () => {
  it('binds an existing directory and an existing file, each on its like', async () => {
    await mkdir(join(volume, 'a/b'), { recursive: true });
    await writeFile(join(volume, 'file'), 'x');
    assert.deepEqual(await bind('a/b'), { hostPath: target() });
    assert.equal(bound(), await inodeOf(join(volume, 'a/b')));
    assert.ok((await stat(target())).isDirectory());
    await bind('./file');
    assert.equal(bound(), await inodeOf(join(volume, 'file')));
    assert.ok((await stat(target())).isFile());
  });

  it('makes missing directories with the mode of the volume', async () => {
    await bind('new/deep');
    for (const path of ['new', 'new/deep'])
      assert.equal((await stat(join(volume, path))).mode & 0o7777, 0o2770);
    assert.equal(bound(), await inodeOf(join(volume, 'new/deep')));
  });

  it('keeps a mount of the same thing', async () => {
    await writeFile(join(volume, 'file'), 'x');
    await mkdir(join(base, 'targets', 'main'), { recursive: true });
    // A hard link shows the same inode, as a mount would.
    await link(join(volume, 'file'), target());
    mounter.mounts.set(target(), {});
    assert.deepEqual(await bind('file'), { hostPath: target() });
    assert.deepEqual(mounter.calls, []);
  });

  it('replaces a mount of another thing', async () => {
    await bind('a');
    mounter.calls.length = 0;
    await bind('b');
    assert.deepEqual(mounter.calls, ['unmount', 'bind']);
    assert.equal(bound(), await inodeOf(join(volume, 'b')));
  });

  it('reports a failed mount without its cause', async () => {
    mounter.failure = mountFailure('cannot bind /secret/place');
    assert.deepEqual(await bind('a'), { failed: 'prepare' });
  });

  it('follows links that stay in the volume, as those of keys do', async () => {
    await mkdir(join(volume, '..2026'));
    await writeFile(join(volume, '..2026', 'key'), 'x');
    await symlink('..2026', join(volume, '..data'));
    await symlink('..data/key', join(volume, 'key'));
    await bind('key');
    assert.equal(bound(), await inodeOf(join(volume, '..2026', 'key')));
  });

  it('CVE-2017-1002101: refuses a symlink escape', async () => {
    await symlink('../outside', join(volume, 'out'));
    await symlink(join(base, 'outside'), join(volume, 'absolute'));
    await symlink('../outside/precious', join(volume, 'file'));
    await symlink('../nothing', join(volume, 'dangling'));
    for (const path of [
      'out',
      'absolute',
      'file',
      'out/precious',
      'out/new',
      'absolute/new/deep',
      'dangling/new',
    ])
      assert.ok('failed' in (await bind(path)), path);
    assert.equal(mounter.mounts.size, 0);
    assert.deepEqual(await readdir(join(base, 'outside')), ['precious']);
    assert.ok(!(await readdir(base)).includes('nothing'));
  });

  it('CVE-2021-25741: is not moved by a swap for a link between check and mount', async () => {
    await mkdir(join(volume, 'a'));
    const inode = await inodeOf(join(volume, 'a'));
    // The container acts at the last moment: when everything was looked at and the mount begins.
    class SwappingMounter extends RecordingMounter {
      override async bind(descriptor: number, at: string): Promise<void> {
        await rename(join(volume, 'a'), join(volume, 'moved'));
        await symlink(join(base, 'outside'), join(volume, 'a'));
        return super.bind(descriptor, at);
      }
    }
    const swapping = new SwappingMounter();
    await bind('a', swapping);
    assert.equal(swapping.mounts.get(target())?.inode, inode);
    assert.notEqual(inode, await inodeOf(join(base, 'outside')));
  });

  it('CVE-2021-25741: never binds something outside while a name is swapped all the time', async () => {
    const outside = await inodeOf(join(base, 'outside'));
    let stop = false;
    const swapper = (async () => {
      await mkdir(join(volume, 'real'));
      while (!stop) {
        await rename(join(volume, 'real'), join(volume, 'a')).catch(() => {});
        await rename(join(volume, 'a'), join(volume, 'real')).catch(() => {});
        await symlink(join(base, 'outside'), join(volume, 'a')).catch(() => {});
        await rm(join(volume, 'a'), { force: true }).catch(() => {});
      }
    })();
    try {
      for (let round = 0; round < 150; round++) {
        await bind('a/x');
        await bind('a');
        assert.notEqual(bound(), outside);
      }
    } finally {
      stop = true;
      await swapper;
    }
    assert.deepEqual(await readdir(join(base, 'outside')), ['precious'], 'nothing was made outside');
  });

  it('reads a file inside the volume and nothing outside of it', async () => {
    const binder = new LinuxSubPathBinder({ mounter, logger });
    await writeFile(join(volume, 'env'), "A='1'");
    await symlink(join(base, 'outside'), join(volume, 'out'));
    assert.equal(await binder.readFile(volume, 'env', 100), "A='1'");
    assert.equal(await binder.readFile(volume, 'env', 3), undefined);
    assert.equal(await binder.readFile(volume, 'out/precious', 100), undefined);
    assert.equal(await binder.readFile(volume, '../outside/precious', 100), undefined);
    assert.equal(await binder.readFile(volume, 'missing', 100), undefined);
    execFileSync('mkfifo', [join(volume, 'pipe')]);
    assert.equal(await binder.readFile(volume, 'pipe', 100), undefined);
  });

  it('file that is longer than it says: is read to the limit and not taken', async () => {
    const binder = new LinuxSubPathBinder({ mounter, logger });
    // Files of the kernel have no size until they are read, like one that grows after the look.
    assert.equal(await binder.readFile('/proc', 'self/mountinfo', 8), undefined);
    assert.notEqual(await binder.readFile('/proc', 'self/mountinfo', 2 ** 20), undefined);
  });
});
