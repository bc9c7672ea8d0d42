/** Whether a pod may use a claim as it is now. Texts are upstream's. */
import type { Pod } from '../api/pod.ts';
import type { ResourceClaim } from '../api/resource-claim.ts';
import type { PodClaim } from './pod-claims.ts';

/** Why not; undefined when it may. */
export function checkClaim(pod: Pod, { isGenerated }: PodClaim, claim: ResourceClaim): string | undefined {
  const { name, namespace, uid } = claim.metadata;
  const owner = claim.metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (isGenerated && owner?.uid !== pod.metadata.uid) {
    const ofPod = `Pod ${pod.metadata.namespace}/${pod.metadata.name}`;
    return `ResourceClaim ${namespace}/${name} was not created for ${ofPod} (Pod is not owner)`;
  }
  const isReserved = claim.status?.reservedFor?.some((consumer) => consumer.uid === pod.metadata.uid);
  if (isReserved !== true)
    return `pod ${pod.metadata.name} (${pod.metadata.uid}) is not allowed to use ResourceClaim ${name} (${uid})`;
  if (claim.status?.allocation === undefined) return `ResourceClaim ${name}: not allocated`;
  return undefined;
}

/** The drivers that have a part in it. */
export function driversOf({ status }: ResourceClaim): string[] {
  return [...new Set((status?.allocation?.devices?.results ?? []).map(({ driver }) => driver))];
}
