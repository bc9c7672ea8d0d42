import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSamples } from '../../../test/samples/sample-readings.ts';
import { MetricRegistry } from '../../base/metric-registry.ts';
import { StartupMetrics } from './startup-metrics.ts';

function setUp() {
  const registry = new MetricRegistry();
  let nowMs = 0;
  const metrics = new StartupMetrics(registry, { bootedAtMs: -60_000, startedAtMs: 1_000, now: () => nowMs });
  return { registry, metrics, at: (ms: number) => (nowMs = ms) };
}

describe('StartupMetrics', () => {
  it('reports the times from boot to a ready node, once', () => {
    const { registry, metrics, at } = setUp();
    at(3_000);
    metrics.attempted();
    at(4_000);
    metrics.attempted();
    metrics.ready();
    metrics.registered();
    at(9_000);
    metrics.ready();
    at(99_000);
    metrics.registered();
    metrics.ready();
    assert.deepEqual(readSamples(registry), {
      kubelet_node_startup_pre_kubelet_duration_seconds: 61,
      kubelet_node_startup_pre_registration_duration_seconds: 2,
      kubelet_node_startup_registration_duration_seconds: 1,
      kubelet_node_startup_post_registration_duration_seconds: 5,
      kubelet_node_startup_duration_seconds: 69,
    });
  });

  it('reports nothing for a node that existed before', () => {
    const { registry, metrics } = setUp();
    metrics.attempted();
    metrics.ready();
    assert.deepEqual(readSamples(registry), {});
  });
});
