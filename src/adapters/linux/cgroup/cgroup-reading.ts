/**
 * What a cgroup has now, read from its control files, in the units that
 * values are written in. A file that is missing or says `max` leaves its
 * value out.
 */
import { join } from 'node:path';
import { AgentError } from '../../../base/errors.ts';
import { weightToShares } from '../../../core/resources/cpu-units.ts';
import type { CgroupReading } from '../../../core/resources/plan-resize.ts';
import { isDirectory, readWords } from './cgroup-files.ts';

/** Version 1 prints about 2^63 for no limit; no machine has this much. */
const NO_LIMIT_V1 = 2 ** 60;

/** Version 2. Rejects with `not-found` when there is no such cgroup. */
export async function readUnified(directory: string): Promise<CgroupReading> {
  await requireDirectory(directory);
  const [weight, [quota, period], limit, usage] = await Promise.all([
    readNumber(join(directory, 'cpu.weight')),
    readWords(join(directory, 'cpu.max')),
    readNumber(join(directory, 'memory.max')),
    readNumber(join(directory, 'memory.current')),
  ]);
  return {
    ...(weight !== undefined && { cpuShares: weightToShares(weight) }),
    ...(quota !== undefined && quota !== 'max' && { cpuQuotaUs: Number(quota) }),
    ...(period !== undefined && { cpuPeriodUs: Number(period) }),
    ...(limit !== undefined && { memoryLimitBytes: limit }),
    ...(usage !== undefined && { memoryUsageBytes: usage }),
  };
}

/** Version 1, where cpu and memory have trees of their own. */
export async function readHierarchies(cpu: string, memory: string): Promise<CgroupReading> {
  await requireDirectory(memory);
  const [shares, quota, period, limit, usage] = await Promise.all([
    readNumber(join(cpu, 'cpu.shares')),
    readNumber(join(cpu, 'cpu.cfs_quota_us')),
    readNumber(join(cpu, 'cpu.cfs_period_us')),
    readNumber(join(memory, 'memory.limit_in_bytes')),
    readNumber(join(memory, 'memory.usage_in_bytes')),
  ]);
  return {
    ...(shares !== undefined && { cpuShares: shares }),
    ...(quota !== undefined && quota > 0 && { cpuQuotaUs: quota }),
    ...(period !== undefined && { cpuPeriodUs: period }),
    ...(limit !== undefined && limit < NO_LIMIT_V1 && { memoryLimitBytes: limit }),
    ...(usage !== undefined && { memoryUsageBytes: usage }),
  };
}

async function requireDirectory(directory: string): Promise<void> {
  if (!(await isDirectory(directory)))
    throw new AgentError('not-found', `cannot read cgroup ${JSON.stringify(directory)}: it is not there`);
}

async function readNumber(file: string): Promise<number | undefined> {
  const [word] = await readWords(file);
  const value = Number(word);
  return word === undefined || word === '' || Number.isNaN(value) ? undefined : value;
}
