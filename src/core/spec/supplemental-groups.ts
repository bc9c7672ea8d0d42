/**
 * The extra groups a pod's processes belong to, and whether the image's own
 * groups are added to them.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import type { Pod } from '../api/pod.ts';

/** Unset means `Merge`; anything unknown is refused. */
export function toSupplementalGroupsPolicy(pod: Pod): Outcome<'Merge' | 'Strict'> {
  const policy = pod.spec.securityContext?.supplementalGroupsPolicy;
  if (policy === undefined || policy === 'Merge') return accept('Merge');
  if (policy === 'Strict') return accept('Strict');
  return refuse(`unsupported supplementalGroupsPolicy: ${policy}`);
}

/** Sandbox order: fsGroup, groups of mounted volumes, the pod's list. */
export function sandboxGroups(pod: Pod, volumeGroups: readonly number[]): number[] {
  const { fsGroup, own } = groupsOf(pod);
  return [...fsGroup, ...extraGroups(own, volumeGroups), ...own];
}

/** Container order: fsGroup, the pod's list, groups of mounted volumes. */
export function containerGroups(pod: Pod, volumeGroups: readonly number[]): number[] {
  const { fsGroup, own } = groupsOf(pod);
  return [...fsGroup, ...own, ...extraGroups(own, volumeGroups)];
}

function groupsOf(pod: Pod): { fsGroup: readonly number[]; own: readonly number[] } {
  const context = pod.spec.securityContext;
  return {
    fsGroup: context?.fsGroup === undefined ? [] : [context.fsGroup],
    own: context?.supplementalGroups ?? [],
  };
}

function extraGroups(own: readonly number[], volumeGroups: readonly number[]): number[] {
  return [...new Set(volumeGroups)].filter((group) => !own.includes(group));
}
