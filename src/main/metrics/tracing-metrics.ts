/** How many spans went to their collector, and how many did not. */
import { Gauge, type MetricRegistry } from '../../base/metric-registry.ts';

export function addTracingMetrics(
  registry: MetricRegistry,
  readCounts: () => { readonly exported: number; readonly dropped: number },
): void {
  const spans = registry.add(
    new Gauge({
      name: 'kubelet_agent_trace_spans',
      help: 'Spans since the start by what became of them: exported to the collector, or dropped because it did not take them.',
      labels: ['result'],
    }),
  );
  registry.onRead(() => {
    const { exported, dropped } = readCounts();
    spans.set(exported, { result: 'exported' });
    spans.set(dropped, { result: 'dropped' });
  });
}
