/** What log lines and events pick out of a status. */
import type { PodStatus } from '../api/pod-status.ts';

/** The containers that wait for their back-off. */
export function findBackOffs(
  status: PodStatus | undefined,
): { name: string; waiting: { reason?: string; message?: string } }[] {
  const all = [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ];
  return all.flatMap(({ name, state: { waiting } }) =>
    waiting?.reason === 'CrashLoopBackOff' || waiting?.reason === 'ImagePullBackOff'
      ? [{ name, waiting }]
      : [],
  );
}

/** A status in a few words: the phase, whether it is ready, and why a container waits. */
export function summarizeStatus(status: PodStatus): string {
  const ready =
    status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const reasons = all.flatMap(({ name, state }) => {
    const reason = state.waiting?.reason;
    return reason === undefined || reason === 'PodInitializing' || reason === 'ContainerCreating'
      ? []
      : [`${name}: ${reason}`];
  });
  return [status.phase ?? 'Unknown', ready ? 'Ready' : 'NotReady', ...reasons].join(', ');
}
