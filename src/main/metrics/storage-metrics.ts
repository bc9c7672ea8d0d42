/** Volumes and plugins as upstream's managers count them: desired and actual. Counted at every scrape. */
import type { VolumeReconciler } from '../../agent/volume/volume-reconciler.ts';
import { Gauge, type MetricRegistry } from '../../base/metric-registry.ts';

const WANTED = 'desired_state_of_world';
const THERE = 'actual_state_of_world';

export function addVolumeCounts(
  registry: MetricRegistry,
  volumes: Pick<VolumeReconciler, 'listVolumePlugins'>,
): void {
  const gauge = registry.add(
    new Gauge({
      name: 'volume_manager_total_volumes',
      help: 'Number of volumes in Volume Manager',
      labels: ['plugin_name', 'state'],
    }),
  );
  registry.onRead(() => {
    const { wanted, ready } = volumes.listVolumePlugins();
    gauge.reset();
    for (const plugin of wanted) gauge.add(1, { plugin_name: plugin ?? 'N/A', state: WANTED });
    for (const plugin of ready) gauge.add(1, { plugin_name: plugin, state: THERE });
  });
}

export function addPluginCounts(
  registry: MetricRegistry,
  plugins: { sockets(): readonly { readonly path: string; readonly registered: boolean }[] },
): void {
  const gauge = registry.add(
    new Gauge({
      name: 'plugin_manager_total_plugins',
      help: 'Number of plugins in Plugin Manager',
      labels: ['socket_path', 'state'],
    }),
  );
  registry.onRead(() => {
    gauge.reset();
    for (const { path, registered } of plugins.sockets()) {
      gauge.set(1, { socket_path: path, state: WANTED });
      if (registered) gauge.set(1, { socket_path: path, state: THERE });
    }
  });
}
