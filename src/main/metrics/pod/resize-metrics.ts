/** Resizes of pods, counted. */
import { Counter, Gauge, Histogram, type MetricRegistry } from '../../../base/metric-registry.ts';
import type { ResizeMeasurement } from '../../../core/pod/resize-measurement.ts';

const BUCKETS_MS = [
  10, 50, 100, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000,
];

export class ResizeMetrics {
  readonly #requested: Counter;
  readonly #infeasible: Counter;
  readonly #accepted: Counter;
  readonly #duration: Histogram;
  readonly #pending: Gauge;
  readonly #inProgress: Gauge;

  constructor(registry: MetricRegistry) {
    this.#requested = registry.add(
      new Counter({
        name: 'kubelet_container_requested_resizes_total',
        help: 'Number of requested resizes, counted at the container level.',
        labels: ['resource', 'requirement', 'operation'],
      }),
    );
    this.#infeasible = registry.add(
      new Counter({
        name: 'kubelet_pod_infeasible_resizes_total',
        help: 'Number of infeasible resizes for pods.',
        labels: ['reason_detail'],
      }),
    );
    this.#accepted = registry.add(
      new Counter({
        name: 'kubelet_pod_deferred_accepted_resizes_total',
        help: 'Cumulative number of resizes that were accepted after being deferred.',
        labels: ['retry_trigger'],
      }),
    );
    this.#duration = registry.add(
      new Histogram({
        name: 'kubelet_pod_resize_duration_milliseconds',
        help: 'Duration in milliseconds to actuate a pod resize',
        labels: ['success'],
        buckets: BUCKETS_MS,
      }),
    );
    this.#pending = registry.add(
      new Gauge({
        name: 'kubelet_pod_pending_resizes',
        help: 'Number of pending resizes for pods.',
        labels: ['reason'],
      }),
    );
    this.#inProgress = registry.add(
      new Gauge({ name: 'kubelet_pod_in_progress_resizes', help: 'Number of in-progress resizes for pods.' }),
    );
  }

  note(measured: ResizeMeasurement): void {
    switch (measured.kind) {
      case 'requested': {
        const { resource, requirement, operation } = measured;
        this.#requested.add(1, { resource, requirement, operation });
        break;
      }
      case 'infeasible':
        this.#infeasible.add(1, { reason_detail: measured.detail });
        break;
      case 'accepted':
        this.#accepted.add(1, { retry_trigger: measured.trigger });
        break;
      case 'performed':
        this.#duration.observe(measured.durationMs, { success: String(measured.ok) });
        break;
      case 'state':
        this.#pending.set(measured.deferred, { reason: 'deferred' });
        this.#pending.set(measured.infeasible, { reason: 'infeasible' });
        this.#inProgress.set(measured.inProgress);
        break;
    }
  }
}
