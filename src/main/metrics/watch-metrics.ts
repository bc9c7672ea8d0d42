/**
 * What /metrics says about the connection to the API server: how long each
 * kind of watch has received nothing, how often one had to relist or
 * reconnect, and how many connections were made. An age that grows past a few
 * minutes is a watch that hangs; counts that climb fast are a storm.
 */
import type { ApiClient } from '../../adapters/kube/api-client.ts';
import { Counter, Gauge, type Labels, type MetricRegistry } from '../../base/metric-registry.ts';

const KIND = ['kind'];

/** Adds the families; they are filled at every scrape. */
export function describeWatches(
  registry: MetricRegistry,
  { watches, connects }: Pick<ApiClient, 'watches' | 'connects'>,
): void {
  const running = registry.add(
    new Gauge({
      name: 'kubelet_agent_watches',
      help: 'Watches on the API server that run now, by kind of object.',
      labels: KIND,
    }),
  );
  const age = registry.add(
    new Gauge({
      name: 'kubelet_agent_watch_last_event_age_seconds',
      help: 'Time since the last list, change or bookmark, of the quietest watch of a kind.',
      labels: KIND,
    }),
  );
  const relists = risingCounter(registry, {
    name: 'kubelet_agent_watch_relists_total',
    help: 'Lists after the first one of a watch, by kind of object.',
    labels: KIND,
  });
  const reconnects = risingCounter(registry, {
    name: 'kubelet_agent_watch_reconnects_total',
    help: 'Watches begun after the first one of a list, by kind of object.',
    labels: KIND,
  });
  const connections = risingCounter(registry, {
    name: 'kubelet_agent_api_connections_total',
    help: 'Connections made to the API server, by what they are for.',
    labels: ['purpose'],
  });
  registry.onRead(() => {
    for (const { kind, ...totals } of watches()) {
      running.set(totals.running, { kind });
      age.set(totals.lastEventAgeMs / 1000, { kind });
      relists(totals.relists, { kind });
      reconnects(totals.reconnects, { kind });
    }
    for (const [purpose, count] of Object.entries(connects())) connections(count, { purpose });
  });
}

/** A counter that is set to its total. */
function risingCounter(
  registry: MetricRegistry,
  definition: ConstructorParameters<typeof Counter>[0],
): (total: number, labels: Labels) => void {
  const counter = registry.add(new Counter(definition));
  const counted = new Map<string, number>();
  return (total, labels) => {
    const key = Object.values(labels).join('\0');
    counter.add(Math.max(0, total - (counted.get(key) ?? 0)), labels);
    counted.set(key, total);
  };
}
