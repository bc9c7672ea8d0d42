/**
 * Settings of the kernel that a node relies on: memory may be promised beyond
 * what there is, a machine without memory kills a process and not itself, and
 * one that cannot go on starts again. Set at the start, or only looked at
 * where the administrator wants to set them alone.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentError, errorText } from '../../../base/errors.ts';
import { toHostError } from '../host-error.ts';

/** What a kubelet wants, by the path below /proc/sys. */
export const KERNEL_SETTINGS: readonly (readonly [flag: string, value: number])[] = [
  ['kernel/keys/root_maxbytes', 25_000_000],
  ['kernel/keys/root_maxkeys', 1_000_000],
  ['kernel/panic', 10],
  ['kernel/panic_on_oops', 1],
  ['vm/overcommit_memory', 1],
  ['vm/panic_on_oom', 0],
];

export interface KernelTuning {
  /** Nothing is written: what differs ends the start. */
  readonly protect: boolean;
  readonly directory?: string;
}

/** Resolves to warnings about what cannot be read or written; rejects with AgentError when something protected differs. */
export async function tuneKernel({ protect, directory = '/proc/sys' }: KernelTuning): Promise<string[]> {
  const warnings: string[] = [];
  const differing: string[] = [];
  for (const [flag, value] of KERNEL_SETTINGS) {
    const path = join(directory, flag);
    try {
      const actual = Number(await readFile(path, 'utf8'));
      if (actual === value) continue;
      const differs = `invalid kernel flag: ${flag}, expected value: ${value}, actual value: ${actual}`;
      if (protect) differing.push(differs);
      else await writeFile(path, String(value), { flag: 'r+' });
    } catch (error) {
      warnings.push(errorText(toHostError(`set to ${value}`, path, error)));
    }
  }
  if (differing.length === 0) return warnings;
  const [only = ''] = differing;
  const message = differing.length === 1 ? only : `[${differing.join(', ')}]`;
  throw new AgentError('failed-precondition', message);
}
