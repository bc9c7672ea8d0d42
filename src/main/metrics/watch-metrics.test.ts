import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WatchTotals } from '../../adapters/kube/watch/watch-ledger.ts';
import { MetricRegistry } from '../../base/metric-registry.ts';
import { describeWatches } from './watch-metrics.ts';

function valuesOf(registry: MetricRegistry): Record<string, number> {
  const families = registry.read();
  return Object.fromEntries(
    families.flatMap((family) =>
      family
        .samples()
        .map(({ labels, value }) => [`${family.name} ${labels.map(([, text]) => text)}`, value]),
    ),
  );
}

describe('describeWatches', () => {
  it('shows age, relists and reconnects by kind, and connections by purpose, as they are when read', () => {
    const registry = new MetricRegistry();
    let watches: WatchTotals[] = [];
    let main = 1;
    describeWatches(registry, { watches: () => watches, connects: () => ({ main, heartbeat: 1 }) });
    valuesOf(registry);
    watches = [{ kind: 'pods', running: 1, lastEventAgeMs: 1500, relists: 2, reconnects: 3 }];
    main = 4;
    const shown = {
      'kubelet_agent_watches pods': 1,
      'kubelet_agent_watch_last_event_age_seconds pods': 1.5,
      'kubelet_agent_watch_relists_total pods': 2,
      'kubelet_agent_watch_reconnects_total pods': 3,
      'kubelet_agent_api_connections_total main': 4,
      'kubelet_agent_api_connections_total heartbeat': 1,
    };
    assert.deepEqual(valuesOf(registry), shown);
    assert.deepEqual(valuesOf(registry), shown, 'a second look counts nothing twice');
  });
});
