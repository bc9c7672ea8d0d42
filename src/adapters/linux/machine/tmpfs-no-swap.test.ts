import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { mountFailure, RecordingMounter } from '../../../../test/fakes/recording-mounter.ts';
import { canKeepOutOfSwap, type NoSwapSources } from './tmpfs-no-swap.ts';

const INITIAL = '         0          0 4294967295\n';
let base: string;
let mounter: RecordingMounter;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'no-swap-'));
  await mkdir(join(base, 'self'));
  await writeFile(join(base, 'self/uid_map'), INITIAL);
  mounter = new RecordingMounter();
});
afterEach(() => rm(base, { recursive: true }));

const places = (): string => join(base, 'root/plugins/kubernetes.io/empty-dir');
const ask = (more: Partial<NoSwapSources> = {}): Promise<boolean> =>
  canKeepOutOfSwap({
    rootDir: join(base, 'root'),
    proc: base,
    kernelRelease: '6.3.9',
    mounter,
    ...more,
  });

describe('canKeepOutOfSwap', () => {
  it('needs no mount where the kernel is new enough', async () => {
    assert.equal(await ask({ kernelRelease: '6.4.0' }), true);
    assert.deepEqual(mounter.calls, []);
  });

  it('tries a mount where the kernel is older, and leaves nothing of it', async () => {
    assert.equal(await ask(), true);
    assert.deepEqual(mounter.calls, ['mount tmpfs', 'unmount']);
    mounter.failure = mountFailure('cannot mount: unknown option "noswap"');
    assert.equal(await ask(), false);
    assert.deepEqual(await readdir(places()), []);
  });

  it('takes away what a kill has left of an earlier try', async () => {
    await mkdir(join(places(), 'tmpfs-noswap-test-1'), { recursive: true });
    mounter.mounts.set(join(places(), 'tmpfs-noswap-test-1'), {});
    assert.equal(await ask(), true);
    assert.deepEqual([...mounter.mounts.keys(), ...(await readdir(places()))], []);
  });

  it('is no in a user namespace, however new the kernel is', async () => {
    await writeFile(join(base, 'self/uid_map'), '         0     100000      65536\n');
    assert.equal(await ask({ kernelRelease: '6.18.0' }), false);
    assert.equal(await ask(), false);
    assert.deepEqual(mounter.calls, []);
  });
});
