/** The limits of a pod's cgroup in the kernel's own files, for both cgroup versions: what they say, and what they should. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sharesToWeight } from '../../../src/core/resources/cpu-units.ts';
import { cgroupDirectory, IS_UNIFIED } from '../../integration/cgroup-paths.ts';
import type { TestNode } from '../../integration/node.ts';

const FILES_V1 = [
  ['cpu', 'cpu.shares'],
  ['cpu', 'cpu.cfs_quota_us'],
  ['memory', 'memory.limit_in_bytes'],
  ['pids', 'pids.max'],
] as const;
const FILES_V2 = [
  ['', 'cpu.weight'],
  ['', 'cpu.max'],
  ['', 'memory.max'],
  ['', 'pids.max'],
] as const;
/** The most that fits, in whole pages. */
const NO_LIMIT_V1 = '9223372036854771712';

export interface Limits {
  readonly shares: number;
  /** Of 100 ms. */
  readonly quotaUs?: number;
  readonly memoryBytes?: number;
  readonly pids: number;
}

/** `path` is as the driver cgroupfs writes it below the cgroup of all pods. */
export async function readLimits(node: TestNode, path: string): Promise<string[]> {
  const texts = (IS_UNIFIED ? FILES_V2 : FILES_V1).map(([controller, name]) =>
    readFile(join(cgroupDirectory(node, controller, path), name), 'utf8'),
  );
  return (await Promise.all(texts)).map((text) => text.trim());
}

/** In the order of `readLimits`. */
export function expectLimits({ shares, quotaUs, memoryBytes, pids }: Limits): string[] {
  const cpu = IS_UNIFIED ? [sharesToWeight(shares), `${quotaUs ?? 'max'} 100000`] : [shares, quotaUs ?? -1];
  return [...cpu, memoryBytes ?? (IS_UNIFIED ? 'max' : NO_LIMIT_V1), pids].map(String);
}
