import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MetricRegistry } from '../../base/metric-registry.ts';
import type { ShutdownTimes } from '../../core/shutdown/shutdown-times.ts';
import { addShutdownMetrics } from './shutdown-metrics.ts';

it('addShutdownMetrics shows whole seconds, and 0 for what was not', () => {
  const registry = new MetricRegistry();
  let times: ShutdownTimes | undefined;
  addShutdownMetrics(registry, () => times);
  const shown = (): string[] =>
    registry.read().flatMap((family) => family.samples().map(({ value }) => `${family.name} ${value}`));
  const names = ['end', 'start'].map((which) => `kubelet_graceful_shutdown_${which}_time_seconds`);
  assert.deepEqual(shown().toSorted(), [`${names[0]} 0`, `${names[1]} 0`]);
  times = { startMs: 1_700_000_000_999, endMs: undefined };
  assert.deepEqual(shown().toSorted(), [`${names[0]} 0`, `${names[1]} 1700000000`]);
});
