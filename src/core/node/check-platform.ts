/** Whether the pod is meant for this kind of node at all: its operating system and what its runtime can do. */
import type { Pod } from '../api/pod.ts';
import type { AdmissionFacts, AdmissionRefusal } from './admission-facts.ts';

const OS_LABEL = 'kubernetes.io/os';

export function checkPlatform(
  pod: Pod,
  { operatingSystem, node }: AdmissionFacts,
): AdmissionRefusal | undefined {
  const label = pod.metadata.labels?.[OS_LABEL];
  if (label !== undefined && label !== operatingSystem)
    return {
      reason: 'PodOSSelectorNodeLabelDoesNotMatch',
      message: `Failed to admit pod as the \`${OS_LABEL}\` label doesn't match node label`,
    };
  if (pod.spec.os !== undefined && pod.spec.os.name !== operatingSystem)
    return {
      reason: 'PodOSNotSupported',
      message: "Failed to admit pod as the OS field doesn't match node OS",
    };
  if (pod.spec.securityContext?.supplementalGroupsPolicy === 'Strict' && !node.supplementalGroupsPolicy)
    return {
      reason: 'SupplementalGroupsPolicyNotSupported',
      message: 'SupplementalGroupsPolicy=Strict is not supported in this node',
    };
  return undefined;
}
