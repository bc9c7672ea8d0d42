/**
 * Notices pods that run outside the cgroup they should be in: the root, the
 * driver or the class of a pod changed while no agent ran. Their limits do
 * not hold until the pod is made anew, so an administrator should know.
 */
import type { Logger } from '../base/log.ts';
import { podRef } from '../core/api/pod-identity.ts';
import type { PodUid } from '../core/pod/ids.ts';
import { hasRunning, type ObservedPod } from '../core/pod/observed-pod.ts';
import type { NodeFacts } from '../core/spec/node-facts.ts';
import { toCgroupParent } from '../core/spec/to-sandbox-config.ts';
import type { PodCgroups } from '../ports/cgroups.ts';
import type { DesiredPod } from './desired-pods.ts';

export interface MissingCgroupParts {
  readonly cgroups: Pick<PodCgroups, 'exists'>;
  readonly node: NodeFacts;
  readonly logger: Logger;
}

/** One warning per wanted pod that runs without its cgroup. Rejects when the host cannot be read. */
export async function warnOfMissingCgroups(
  { cgroups, node, logger }: MissingCgroupParts,
  records: Iterable<DesiredPod>,
  listed: ReadonlyMap<PodUid, ObservedPod>,
): Promise<void> {
  for (const { uid, pod, source } of [...records]) {
    const observed = listed.get(uid);
    if (observed === undefined || !hasRunning(observed) || source === 'runtime') continue;
    const path = toCgroupParent(pod, node);
    if (path === '' || (await cgroups.exists(path))) continue;
    logger.warn('a pod runs outside its cgroup, its limits hold once it is made anew', {
      pod: podRef(pod),
      podUid: uid,
      cgroup: path,
    });
  }
}
