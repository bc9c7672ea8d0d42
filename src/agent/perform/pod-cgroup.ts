/**
 * The cgroup of one pod: made with its limits before the sandbox, because the
 * runtime puts everything of the pod into it.
 */
import type { Logger } from '../../base/log.ts';
import type { Pod } from '../../core/api/pod.ts';
import { toPodUid } from '../../core/model/ids.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { toPodCgroupLimits } from '../../core/resources/pod-cgroup-limits.ts';
import type { PodCgroups } from '../../ports/host/cgroups.ts';
import type { ContainerPins } from '../assign/container-pins.ts';
import type { CgroupRefusals } from '../resources/cgroup-refusals.ts';
import type { QosCgroups } from '../resources/qos-cgroups.ts';

export interface PodCgroupParts {
  readonly cgroups: PodCgroups;
  readonly refusals: CgroupRefusals;
  readonly tiers: Pick<QosCgroups, 'writeAgain'>;
  readonly logger: Logger;
  readonly node: NodeProfile;
  readonly pins: Pick<ContainerPins, 'hasExclusiveCpus'>;
}

/** Rejects when the cgroup cannot be created; a refused value is only logged. */
export async function ensurePodCgroup(
  { cgroups, refusals, tiers, logger, node, pins }: PodCgroupParts,
  path: string,
  pod: Pod,
  label: string,
): Promise<void> {
  const { warnings, hadParent } = await cgroups.ensure(path);
  for (const warning of warnings) logger.warn(warning, { pod: label });
  // Made once before all pods: someone has removed them since, or they could not be made then.
  if (!hadParent) tiers.writeAgain();
  const exclusive = pins.hasExclusiveCpus(toPodUid(pod.metadata.uid));
  refusals.note(path, await cgroups.apply(path, toPodCgroupLimits(pod, node, exclusive)));
}
