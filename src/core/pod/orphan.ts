/**
 * A pod rebuilt from what the runtime knows about it: enough to end it, not
 * to run it. Names come from labels, so anything without them is not ours.
 */

import type { Pod } from '../api/pod.ts';
import { isObjectName } from '../api/validate-name.ts';
import { POD_NAME_LABEL, POD_NAMESPACE_LABEL, readTerminationGrace } from '../model/container-labels.ts';
import type { ObservedPod } from '../model/observed-pod.ts';

/** Undefined when no label names the pod. */
export function toOrphan(observed: ObservedPod): Pod | undefined {
  const sandbox = observed.sandboxes[0];
  const labels = observed.containers[0]?.labels ?? {};
  const name = sandbox?.podName ?? labels[POD_NAME_LABEL];
  const namespace = sandbox?.podNamespace ?? labels[POD_NAMESPACE_LABEL];
  if (name === undefined || namespace === undefined) return undefined;
  // Its directories go with it: they are built of these names.
  if (!isObjectName(name) || !isObjectName(namespace)) return undefined;
  const graces = observed.containers.map(readTerminationGrace).filter((seconds) => seconds !== undefined);
  const names = [...new Set(observed.containers.map((container) => container.name))];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid: observed.uid, annotations: sandbox?.annotations ?? {} },
    spec: {
      containers: names.map((container) => ({ name: container })),
      ...(graces.length > 0 ? { terminationGracePeriodSeconds: Math.max(...graces) } : {}),
    },
  };
}
