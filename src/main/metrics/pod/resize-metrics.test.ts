import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MetricRegistry } from '../../../base/metric-registry.ts';
import { renderMetrics } from '../../../server/debug/metrics-text.ts';
import { ResizeMetrics } from './resize-metrics.ts';

describe('ResizeMetrics', () => {
  it('counts under the names and labels of upstream', () => {
    const registry = new MetricRegistry();
    const metrics = new ResizeMetrics(registry);
    metrics.note({ kind: 'requested', resource: 'cpu', requirement: 'limits', operation: 'increase' });
    metrics.note({ kind: 'infeasible', detail: 'static_pod' });
    metrics.note({ kind: 'accepted', trigger: 'pods_removed' });
    metrics.note({ kind: 'performed', ok: true, durationMs: 60 });
    metrics.note({ kind: 'state', deferred: 2, infeasible: 1, inProgress: 3 });
    const text = renderMetrics(registry.read());
    for (const line of [
      'kubelet_container_requested_resizes_total{resource="cpu",requirement="limits",operation="increase"} 1',
      'kubelet_pod_infeasible_resizes_total{reason_detail="static_pod"} 1',
      'kubelet_pod_deferred_accepted_resizes_total{retry_trigger="pods_removed"} 1',
      'kubelet_pod_resize_duration_milliseconds_bucket{success="true",le="100"} 1',
      'kubelet_pod_pending_resizes{reason="deferred"} 2',
      'kubelet_pod_pending_resizes{reason="infeasible"} 1',
      'kubelet_pod_in_progress_resizes 3',
    ])
      assert.ok(text.includes(line), `${line} is in\n${text}`);
  });
});
