/** Which claims a pod uses, by the names its status gives them. */
import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import { quote } from '../../base/text/quote.ts';
import type { Container, Pod } from '../api/pod.ts';

export interface PodClaim {
  /** In the pod; undefined for the claim behind extended resources. */
  readonly ref: string | undefined;
  /** Of the object. */
  readonly name: string;
  /** It was made for this pod alone. */
  readonly isGenerated: boolean;
}

/** Whether the pod may use claims at all. */
export function hasClaims({ spec, status }: Pod): boolean {
  return (spec.resourceClaims ?? []).length > 0 || status?.extendedResourceClaimStatus !== undefined;
}

/** Refused while one that the pod needs was not made yet. */
export function findPodClaims(pod: Pod): Outcome<PodClaim[]> {
  const found: PodClaim[] = [];
  const where = `pod "${pod.metadata.namespace}/${pod.metadata.name}"`;
  for (const { name: ref, resourceClaimName, resourceClaimTemplateName } of pod.spec.resourceClaims ?? []) {
    if (resourceClaimName !== undefined) found.push({ ref, name: resourceClaimName, isGenerated: false });
    else if (resourceClaimTemplateName === undefined)
      return refuse(`${where}, spec.resourceClaim ${quote(ref)}: none of the supported fields are set`);
    else {
      const made = pod.status?.resourceClaimStatuses?.find(({ name }) => name === ref);
      if (made === undefined) return refuse(`${where}: ResourceClaim not created yet`);
      // None was needed for it.
      if (made.resourceClaimName !== undefined)
        found.push({ ref, name: made.resourceClaimName, isGenerated: true });
    }
  }
  const extended = pod.status?.extendedResourceClaimStatus;
  if (extended !== undefined)
    found.push({ ref: undefined, name: extended.resourceClaimName, isGenerated: true });
  return accept(found);
}

/** A claim that a container uses: all of it, or what answers one request. */
export interface ContainerClaim {
  readonly name: string;
  readonly request: string | undefined;
}

/** Claims of which the pod needs none are left out. */
export function findContainerClaims(
  pod: Pod,
  container: Pick<Container, 'name' | 'resources'>,
): ContainerClaim[] {
  const claims = findPodClaims(pod);
  const all = claims.ok ? claims.value : [];
  const named = (container.resources?.claims ?? []).flatMap(({ name, request }) => {
    const claim = all.find(({ ref }) => ref === name);
    return claim === undefined ? [] : [{ name: claim.name, request: request || undefined }];
  });
  const { resourceClaimName, requestMappings = [] } = pod.status?.extendedResourceClaimStatus ?? {};
  const mapped = requestMappings
    .filter(({ containerName }) => containerName === container.name)
    .map(({ requestName }) => ({ name: resourceClaimName ?? '', request: requestName }));
  return [...named, ...mapped];
}
