/** A local disk that grows while it is mounted: a real loop device, a real file system. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, statfs, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { LinuxLoopDevices } from '../../src/adapters/linux/mount/loop-devices.ts';
import { LinuxMounter } from '../../src/adapters/linux/mount/mounter.ts';
import { LocalDriver } from '../../src/adapters/volume/local.ts';
import { LocalExpansion } from '../../src/adapters/volume/local-expansion.ts';
import type { VolumeRequest } from '../../src/ports/storage/volume-driver.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { claimRequest } from '../samples/sample-request.ts';

const run = promisify(execFile);
const MIB = 2 ** 20;

const CAP_SYS_RESOURCE = 24n;

/** The kernel lets a mounted ext4 grow only with a right that some hosts take from root; xfs is the other choice. */
function chooseFileSystem(): 'ext4' | 'xfs' | undefined {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  if (((BigInt(`0x${effective}`) >> CAP_SYS_RESOURCE) & 1n) === 1n) return 'ext4';
  const found = (process.env['PATH'] ?? '').split(':').some((path) => existsSync(join(path, 'mkfs.xfs')));
  return found ? 'xfs' : undefined;
}

const FS_TYPE = chooseFileSystem();

describe('a local disk', {
  skip: FS_TYPE === undefined && 'no right to resize ext4, and no xfsprogs',
}, () => {
  it('has its new size while it is in use, and its content', async () => {
    const base = await mkdtemp(join(tmpdir(), 'growth-'));
    const rootDir = join(base, 'kubelet');
    await mkdir(rootDir);
    const file = join(base, 'disk');
    await writeFile(file, '');
    await truncate(file, 320 * MIB);
    const loop = (await run('losetup', ['-f', '--show', file])).stdout.trim();
    const patches: object[] = [];
    const warnings: string[] = [];
    const clock = new FakeClock();
    const expansion = new LocalExpansion({
      api: { patch: async (_ref, change) => patches.push(change) as never },
      clock,
      random: () => 0,
      nodeName: 'node-1',
    });
    const driver = new LocalDriver({
      mounter: new LinuxMounter(),
      loops: new LinuxLoopDevices(),
      node: { rootDir },
      clock,
      expansion,
    });
    const toRequest = (storage: string, isRemount: boolean): VolumeRequest => {
      const spec = { local: { path: loop, fsType: FS_TYPE ?? '' }, capacity: { storage } };
      const made = claimRequest({ rootDir, plugin: driver.plugin, spec, warnings });
      assert.ok(made.persistent);
      const claim = { ...made.persistent.claim, status: { capacity: { storage: '320Mi' } } };
      return { ...made, isRemount, persistent: { ...made.persistent, claim } };
    };
    const first = toRequest('320Mi', false);
    try {
      const mounted = await driver.mount(first);
      assert.ok(mounted.ok, JSON.stringify(mounted));
      const sizeOf = async (): Promise<number> => {
        const { blocks, bsize } = await statfs(first.directory);
        return blocks * bsize;
      };
      const before = await sizeOf();
      await writeFile(join(first.directory, 'precious'), 'data');
      await truncate(file, 640 * MIB);
      await run('losetup', ['-c', loop]);
      const again = await driver.mount(toRequest('640Mi', true));
      assert.ok(again.ok);
      assert.deepEqual(warnings, []);
      assert.ok((await sizeOf()) > before * 1.7, `${before} is now ${await sizeOf()}`);
      assert.deepEqual(patches, [{ status: { capacity: { storage: '640Mi' }, conditions: [] } }]);
      assert.equal((await run('cat', [join(first.directory, 'precious')])).stdout, 'data');
    } finally {
      await driver.unmount(first);
      await run('losetup', ['-d', loop]);
      await rm(base, { recursive: true });
    }
  });
});
