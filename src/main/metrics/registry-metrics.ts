/** The metrics about metrics: how many there are, by the promise that is made for them. Counted at every scrape. */
import { Counter, type MetricRegistry } from '../../base/metric-registry.ts';

const stability = 'BETA';

export function addRegistryMetrics(registry: MetricRegistry): void {
  const registered = registry.add(
    new Counter({
      name: 'registered_metrics_total',
      help: 'The count of registered metrics broken by stability level and deprecation version.',
      stability,
      labels: ['deprecated_version', 'stability_level'],
    }),
  );
  // None of ours can be disabled, and none is hidden here.
  registry.add(
    new Counter({ name: 'disabled_metrics_total', help: 'The count of disabled metrics.', stability }),
  );
  registry.add(
    new Counter({ name: 'hidden_metrics_total', help: 'The count of hidden metrics.', stability }),
  );
  registry.onRead(() => {
    registered.remove({});
    for (const family of registry.families())
      if (family.stability !== 'NONE') registered.add(1, { stability_level: family.stability });
  });
}
