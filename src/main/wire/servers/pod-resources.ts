/** The PodResources service for tools on this machine. */
import { servePodResources } from '../../../adapters/devices/pod-resources-server.ts';
import type { Agent } from '../../../agent/agent-ports.ts';
import type { NodeProfile } from '../../../core/model/node-profile.ts';
import { countPodResources } from '../../metrics/pod-resource-metrics.ts';
import type { Foundation } from '../foundation.ts';

export function startPodResources(
  { clock, logger, scope, metrics }: Foundation,
  { rootDir }: NodeProfile,
  { podResources }: Pick<Agent, 'podResources'>,
): void {
  if (podResources === undefined) return;
  const meter = countPodResources(metrics.registry);
  const path = `${rootDir}/pod-resources/kubelet.sock`;
  scope.run(
    (stop) => servePodResources({ path, reader: podResources, meter, clock, logger }, stop),
    (error) => logger.error('PodResources server failed', error),
  );
}
