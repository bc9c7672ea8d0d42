/** How large the logs of containers are, from the last statistics: a scrape reads no disk. */
import { Gauge, type MetricRegistry } from '../../base/metric-registry.ts';
import type { NodeStatistics } from '../../ports/host/node-statistics.ts';

/** What is older says nothing of the pods that are there now. */
const MAX_AGE_MS = 120_000;

export function addLogMetrics(registry: MetricRegistry, statistics: Pick<NodeStatistics, 'peek'>): void {
  const sizes = registry.add(
    new Gauge({
      name: 'kubelet_container_log_filesystem_used_bytes',
      help: "Bytes used by the container's logs on the filesystem.",
      labels: ['uid', 'namespace', 'pod', 'container'],
    }),
  );
  registry.onRead(() => {
    sizes.reset();
    for (const { podRef, containers } of statistics.peek(MAX_AGE_MS)?.summary.pods ?? [])
      for (const { name: container, logs } of containers) {
        const { uid, namespace, name: pod } = podRef;
        if (logs?.usedBytes !== undefined) sizes.set(logs.usedBytes, { uid, namespace, pod, container });
      }
  });
}
