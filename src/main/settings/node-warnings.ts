/** Reads what the node's warnings at the start are made of. */
import { readFile } from 'node:fs/promises';
import { toHostError } from '../../adapters/linux/host-error.ts';
import type { MachineFacts } from '../../adapters/linux/machine/machine-facts.ts';
import { errorText } from '../../base/errors.ts';
import type { EventText } from '../../core/model/event-text.ts';
import type { SwapFacts } from '../../core/model/node-profile.ts';
import { type CheckedResolver, toNodeWarnings } from '../../core/node-status/node-warnings.ts';
import type { KubeletConfiguration } from '../config/kubelet-configuration.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';

/** Never rejects. */
export async function readNodeWarnings(
  { resolvConf, clusterDomain }: Pick<KubeletConfiguration, 'resolvConf' | 'clusterDomain'>,
  { swapBytes, cgroup }: Pick<MachineFacts, 'swapBytes' | 'cgroup'>,
  { tmpfsNoSwap }: Pick<SwapFacts, 'tmpfsNoSwap'>,
): Promise<EventText[]> {
  const resolver = resolvConf === '' ? undefined : await readResolver(resolvConf);
  return toNodeWarnings({ cgroupVersion: cgroup.version, swapBytes, tmpfsNoSwap, clusterDomain, resolver });
}

async function readResolver(path: string): Promise<CheckedResolver> {
  try {
    return { path, text: await readFile(path, 'utf8') };
  } catch (error) {
    return { path, problem: errorText(toHostError('read', path, error)) };
  }
}

/** Features that are turned on and cannot work on this machine, in upstream's words. */
export function findUnusableFeatures(
  { features }: Pick<LoadedConfiguration, 'features'>,
  { cgroup }: Pick<MachineFacts, 'cgroup'>,
): string[] {
  if (cgroup.version === 2 || !features.enabled('MemoryQoS')) return [];
  return ['Warning: MemoryQoS feature only works with cgroups v2 on Linux, but enabled with cgroups v1'];
}
