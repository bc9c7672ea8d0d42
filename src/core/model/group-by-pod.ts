/** A flat listing of the runtime, pod by pod. */
import type { PodUid } from './ids.ts';
import {
  compareContainers,
  compareSandboxes,
  type ObservedContainer,
  type ObservedPod,
  type ObservedSandbox,
} from './observed-pod.ts';

/** The pods of a listing, with their sandboxes and containers in order. */
export function groupByPod(
  sandboxes: readonly ObservedSandbox[],
  containers: readonly ObservedContainer[],
): Map<PodUid, ObservedPod> {
  const pods = new Map<
    PodUid,
    { uid: PodUid; sandboxes: ObservedSandbox[]; containers: ObservedContainer[] }
  >();
  const podOf = (uid: PodUid): { sandboxes: ObservedSandbox[]; containers: ObservedContainer[] } => {
    const pod = pods.get(uid) ?? { uid, sandboxes: [], containers: [] };
    pods.set(uid, pod);
    return pod;
  };
  for (const sandbox of [...sandboxes].sort(compareSandboxes)) podOf(sandbox.podUid).sandboxes.push(sandbox);
  for (const container of [...containers].sort(compareContainers))
    podOf(container.podUid).containers.push(container);
  return pods;
}

/** Changes when a sandbox or container appears, goes or changes its state. */
export function fingerprint(pod: ObservedPod): string {
  const sandboxes = pod.sandboxes.map(({ id, ready }) => `${id}=${ready}`);
  const containers = pod.containers.map(({ id, state }) => `${id}=${state}`);
  return [...sandboxes, ...containers].sort().join(' ');
}
