import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { LinuxFileSystemStats } from './file-system-stats.ts';

let root: string;
let stats: LinuxFileSystemStats;
const { signal } = new AbortController();
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'file-system-stats-'));
  stats = new LinuxFileSystemStats(new FakeClock({ startMs: 7 }), [root]);
});
afterEach(() => rmSync(root, { recursive: true }));

describe('LinuxFileSystemStats', () => {
  it('reads a file system as the kernel has it', async () => {
    const sample = await stats.readFileSystem(root, signal);
    const { blocks, bsize } = statfsSync(root);
    assert.deepEqual([sample.atMs, sample.device], [7, String(statSync(root).dev)]);
    assert.equal(sample.capacityBytes, blocks * bsize);
    assert.ok(sample.availableBytes > 0 && sample.availableBytes < sample.capacityBytes);
    assert.equal((await stats.readFileSystem(tmpdir(), signal)).device, sample.device);
    await assert.rejects(stats.readFileSystem(join(root, 'none'), signal), { code: 'not-found' });
  });

  /** Below the root at once, elsewhere through the thread pool. */
  for (const [where, create] of [
    ['below a root', () => stats],
    ['elsewhere', () => new LinuxFileSystemStats(new FakeClock(), [])],
  ] as const)
    it(`counts regular files directly inside, ${where}`, async () => {
      const subject = create();
      const logs = join(root, 'logs');
      mkdirSync(join(logs, 'deeper'), { recursive: true });
      for (const name of ['0.log', '1.log', 'deeper/2.log'])
        writeFileSync(join(logs, name), Buffer.alloc(5000));
      symlinkSync('/etc/passwd', join(logs, 'link'));
      const usedBytes = statSync(join(logs, '0.log')).blocks * 512;
      assert.deepEqual(await subject.measureFilesIn(logs), { usedBytes: 2 * usedBytes, inodesUsed: 2 });
      assert.deepEqual(await subject.measureFile(join(logs, '0.log')), { usedBytes, inodesUsed: 1 });
      for (const name of ['link', 'none', 'deeper', '0.log/x'])
        assert.deepEqual(await subject.measureFile(join(logs, name)), { usedBytes: 0, inodesUsed: 0 });
      assert.deepEqual(await subject.measureFilesIn(join(root, 'none')), { usedBytes: 0, inodesUsed: 0 });
    });
});
