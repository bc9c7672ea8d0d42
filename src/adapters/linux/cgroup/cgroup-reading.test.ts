import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { hasCode } from '../../../base/errors.ts';
import { readHierarchies, readUnified } from './cgroup-reading.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cgroup-reading-'));
});
afterEach(() => rm(directory, { recursive: true }));

async function put(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), `${text}\n`);
}

describe('readUnified', () => {
  it('reads limits, weight and usage', async () => {
    await put({
      'cpu.weight': '79',
      'cpu.max': '20000 100000',
      'memory.max': '4096',
      'memory.current': '1024',
    });
    assert.deepEqual(await readUnified(directory), {
      cpuShares: 2046,
      cpuQuotaUs: 20_000,
      cpuPeriodUs: 100_000,
      memoryLimitBytes: 4096,
      memoryUsageBytes: 1024,
    });
  });

  it('leaves out what has no bound or no file', async () => {
    await put({ 'cpu.max': 'max 100000', 'memory.max': 'max' });
    assert.deepEqual(await readUnified(directory), { cpuPeriodUs: 100_000 });
  });

  it('rejects with not-found where there is no cgroup', async () => {
    await assert.rejects(readUnified(join(directory, 'none')), (error) => hasCode(error, 'not-found'));
  });
});

describe('readHierarchies', () => {
  it('reads the files of version 1 and knows its word for no limit', async () => {
    await put({
      'cpu.shares': '512',
      'cpu.cfs_quota_us': '-1',
      'cpu.cfs_period_us': '100000',
      'memory.limit_in_bytes': '9223372036854771712',
      'memory.usage_in_bytes': '5',
    });
    assert.deepEqual(await readHierarchies(directory, directory), {
      cpuShares: 512,
      cpuPeriodUs: 100_000,
      memoryUsageBytes: 5,
    });
    await put({ 'cpu.cfs_quota_us': '5000', 'memory.limit_in_bytes': '4096' });
    const { cpuQuotaUs, memoryLimitBytes } = await readHierarchies(directory, directory);
    assert.deepEqual([cpuQuotaUs, memoryLimitBytes], [5000, 4096]);
  });
});
