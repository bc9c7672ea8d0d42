/**
 * Notices a pod that runs outside the cgroup it should be in: the root or the
 * driver of cgroups changed while no agent ran. Its limits do not hold until
 * it is restarted, so it is.
 */
import type { Pod } from '../../core/api/pod.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { toCgroupParent } from '../../core/spec/to-sandbox-config.ts';
import type { PodCgroups } from '../../ports/host/cgroups.ts';

export interface MissingCgroupParts {
  readonly cgroups: Pick<PodCgroups, 'exists' | 'children'>;
  readonly node: NodeProfile;
}

/** Asked of a pod that runs. Rejects when the host cannot be read. */
export async function isCgroupMissing({ cgroups, node }: MissingCgroupParts, pod: Pod): Promise<boolean> {
  const path = toCgroupParent(pod, node);
  if (path === '') return false;
  // One that lacks a controller counts as there: where the kernel refuses it, a new one would lack it too.
  return (await cgroups.children(path)).length === 0 && !(await cgroups.exists(path));
}
