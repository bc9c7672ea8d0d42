/** Whether the tolerations of a pod cover a taint of a node. */
import type { Taint } from '../api/node.ts';
import type { Toleration } from '../api/pod.ts';

/** An empty key or effect stands for all of them. Comparing operators are not on by default and cover nothing. */
export function tolerates(tolerations: readonly Toleration[] = [], taint: Taint): boolean {
  return tolerations.some(({ key = '', operator = 'Equal', value = '', effect = '' }) => {
    if (effect !== '' && effect !== taint.effect) return false;
    if (key !== '' && key !== taint.key) return false;
    if (operator === 'Exists') return true;
    return operator === 'Equal' && value === (taint.value ?? '');
  });
}
