/**
 * A node under pressure admits critical pods only; under memory pressure alone
 * it also admits pods that are not best-effort, or that tolerate it.
 */
import type { Pod } from '../api/pod.ts';
import { isCritical } from '../api/pod-identity.ts';
import { computeQosClass } from '../resources/qos.ts';
import type { AdmissionFacts, AdmissionRefusal } from './admission-facts.ts';
import { tolerates } from './tolerates.ts';

const MEMORY_PRESSURE = 'MemoryPressure';
const MEMORY_TAINT = { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' };

export function checkPressure(
  pod: Pod,
  { pressures, podLevelResources }: AdmissionFacts,
): AdmissionRefusal | undefined {
  if (pressures.length === 0 || isCritical(pod)) return undefined;
  if (pressures.every((condition) => condition === MEMORY_PRESSURE)) {
    if (computeQosClass(pod, podLevelResources) !== 'BestEffort') return undefined;
    if (tolerates(pod.spec.tolerations, MEMORY_TAINT)) return undefined;
  }
  return { reason: 'Evicted', message: `The node had condition: [${pressures.join(' ')}]. ` };
}
