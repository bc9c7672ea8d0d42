/** A pod that needs a declared feature does not run on a node that does not declare it, which would ignore parts of it. */
import type { Pod } from '../api/pod.ts';
import { hasRestartAllRule } from '../pod/restart-all.ts';
import type { AdmissionFacts, AdmissionRefusal } from './admission-facts.ts';

const NEEDS: readonly (readonly [feature: string, isNeeded: (pod: Pod) => boolean])[] = [
  ['RestartAllContainersOnContainerExits', hasRestartAllRule],
  ['UserNamespacesHostNetworkSupport', ({ spec }) => spec.hostNetwork === true && spec.hostUsers === false],
];

export function checkNodeFeatures(
  pod: Pod,
  { declaredFeatures }: AdmissionFacts,
): AdmissionRefusal | undefined {
  if (declaredFeatures === undefined) return undefined;
  const missing = NEEDS.filter(([feature, isNeeded]) => isNeeded(pod) && !declaredFeatures.includes(feature));
  if (missing.length === 0) return undefined;
  const names = missing.map(([feature]) => feature).join(', ');
  return {
    reason: 'PodFeatureUnsupported',
    message: `Pod requires node features that are not available: ${names}`,
  };
}
