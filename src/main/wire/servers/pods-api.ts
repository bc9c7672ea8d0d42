/** The Pods service for tools on this machine, behind its feature gate. */
import type { Agent } from '../../../agent/agent-ports.ts';
import { PublishedPods } from '../../../agent/pod/published-pods.ts';
import { Counter } from '../../../base/metric-registry.ts';
import type { NodeProfile } from '../../../core/model/node-profile.ts';
import type { Foundation } from '../foundation.ts';

export function startPodsApi(
  { clock, logger, scope, metrics }: Foundation,
  { rootDir, features }: Pick<NodeProfile, 'rootDir' | 'features'>,
  { desired, board }: Pick<Agent, 'desired' | 'board'>,
): void {
  const dropped = metrics.registry.add(
    new Counter({
      name: 'kubelet_pod_watch_events_dropped_total',
      help: 'Cumulative number of pod watch events dropped.',
    }),
  );
  if (!features('PodsAPI')) return;
  const pods = new PublishedPods({ records: desired.records, published: board.published });
  const path = `${rootDir}/pods-api/pods-api.sock`;
  const onDropped = (): void => dropped.add(1);
  scope.run(
    async (stop) => {
      const { servePods } = await import('../../../adapters/pods-api/pods-server.ts');
      await servePods({ path, pods, onDropped, clock, logger }, stop);
    },
    (error) => logger.error('Pods server failed', error),
  );
}
