/**
 * Which instance of a container has the requested log, decided from
 * the pod's status; or why there is none, in the words clients know.
 */
import type { ContainerStatus, PodStatus } from '../../core/api/pod-status.ts';

export type LogInstance =
  /** With the runtime's prefix, such as `containerd://…`. */
  { readonly containerId: string } | { readonly problem: string };

const PULL_PROBLEMS: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
};

export function decideLogInstance(
  status: PodStatus | undefined,
  pod: string,
  container: string,
  previous: boolean,
): LogInstance {
  const what = `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod)}`;
  const found = findStatus(status, container);
  if (found === undefined) return { problem: `${what} is not available` };
  const { state, lastState } = found;
  const last = lastState?.terminated?.containerID ?? '';
  if (previous)
    return last === '' ? { problem: `previous terminated ${what} not found` } : { containerId: last };
  if (state.running !== undefined) return { containerId: found.containerID ?? '' };
  if (state.terminated !== undefined && (state.terminated.containerID ?? '') !== '')
    return { containerId: state.terminated.containerID ?? '' };
  if (state.terminated !== undefined || lastState?.terminated !== undefined)
    return last === '' ? { problem: `${what} is terminated` } : { containerId: last };
  const reason = state.waiting?.reason;
  if (reason === undefined) return { problem: `${what} is waiting to start - no logs yet` };
  return { problem: `${what} is waiting to start: ${PULL_PROBLEMS[reason] ?? reason}` };
}

function findStatus(status: PodStatus | undefined, name: string): ContainerStatus | undefined {
  const all = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ];
  return all.find((container) => container.name === name);
}
