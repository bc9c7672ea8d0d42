/** How near the node is to evicting pods, as it was last measured for that: a scrape measures nothing. */
import { Gauge, type MetricRegistry } from '../../base/metric-registry.ts';
import { toThresholdAmount } from '../../core/eviction/threshold.ts';
import type { EvictionReporter } from '../../ports/host/eviction-report.ts';

const LABELS = ['eviction_signal'];

export function addEvictionMetrics(registry: MetricRegistry, evictor: Pick<EvictionReporter, 'last'>): void {
  const add = (name: string, help: string, labels: readonly string[]): Gauge =>
    registry.add(new Gauge({ name: `kubelet_agent_eviction_${name}`, help, labels: [...labels] }));
  const available = add(
    'available',
    'What is left of the resource behind an eviction signal: bytes, inodes or processes',
    LABELS,
  );
  const threshold = add('threshold', 'Pods are evicted when less than this is left', [...LABELS, 'kind']);
  registry.onRead(() => {
    available.reset();
    threshold.reset();
    const { thresholds, observations } = evictor.last;
    for (const { signal, value, graceMs } of thresholds) {
      const observation = observations.get(signal);
      if (observation === undefined) continue;
      available.set(observation.available, { eviction_signal: signal });
      const kind = graceMs === 0 ? 'hard' : 'soft';
      threshold.set(toThresholdAmount(value, observation.capacity), { eviction_signal: signal, kind });
    }
  });
}
