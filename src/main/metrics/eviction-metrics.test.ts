import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MetricRegistry } from '../../base/metric-registry.ts';
import { toThresholds } from '../../core/eviction/threshold.ts';
import { addEvictionMetrics } from './eviction-metrics.ts';

describe('addEvictionMetrics', () => {
  it('shows what is left and what the thresholds are, of what was measured', () => {
    const thresholds = toThresholds({
      hard: { 'memory.available': '100Mi', 'nodefs.available': '10%', 'pid.available': '1k' },
      soft: { 'nodefs.available': '20%' },
      softGraceMs: { 'nodefs.available': 1 },
      minReclaim: {},
      enforcesPods: false,
    });
    const observations = new Map([
      ['memory.available', { available: 5, capacity: 10, atMs: 0 }],
      ['nodefs.available', { available: 300, capacity: 1000, atMs: 0 }],
    ] as const);
    const registry = new MetricRegistry();
    addEvictionMetrics(registry, { last: { thresholds, observations } });
    const shown = registry.read().flatMap((family) =>
      family.samples().map(({ labels, value }) => {
        const names = labels.map(([, text]) => text).join(' ');
        return `${family.name.replace('kubelet_agent_eviction_', '')} ${names} ${value}`;
      }),
    );
    assert.deepEqual(shown.sort(), [
      'available memory.available 5',
      'available nodefs.available 300',
      'threshold memory.available hard 104857600',
      'threshold nodefs.available hard 100',
      'threshold nodefs.available soft 200',
    ]);
  });
});
