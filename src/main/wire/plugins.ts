/** Plugins that announce themselves in the registry directory. */
import { PluginWatcher } from '../../adapters/plugin/plugin-watcher.ts';
import type { Agent } from '../../agent/agent-ports.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import type { PluginHandlers } from '../../ports/storage/plugin-handler.ts';
import { addClaimCounts } from '../metrics/pod/claim-metrics.ts';
import { addPluginCounts } from '../metrics/storage-metrics.ts';
import type { CsiWiring } from './csi.ts';
import type { Foundation } from './foundation.ts';

export function startPlugins(
  { clock, logger, scope, metrics }: Foundation,
  { rootDir }: NodeProfile,
  csi: CsiWiring | undefined,
  agent: Pick<Agent, 'devices' | 'claims'>,
): void {
  // One line for each type of plugin that the kubelet can use.
  const handlers: PluginHandlers = {
    CSIPlugin: csi?.registration,
    DevicePlugin: agent.devices?.plugins,
    DRAPlugin: agent.claims?.drivers,
  };
  const plugins = new PluginWatcher({ directory: `${rootDir}/plugins_registry`, handlers, clock, logger });
  addPluginCounts(metrics.registry, plugins);
  addClaimCounts(metrics.registry, agent);
  scope.run(
    (stop) => plugins.run(stop),
    (error) => logger.error('plugin registry loop failed', error),
  );
}
