/** Resizes of pods, counted. */
import { Counter, Gauge, Histogram, type MetricRegistry } from '../../base/metric-registry.ts';
import type { ResizeNews } from '../../core/pod/resize-news.ts';

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

  note(news: ResizeNews): void {
    switch (news.kind) {
      case 'requested': {
        const { resource, requirement, operation } = news;
        this.#requested.add(1, { resource, requirement, operation });
        break;
      }
      case 'infeasible':
        this.#infeasible.add(1, { reason_detail: news.detail });
        break;
      case 'accepted':
        this.#accepted.add(1, { retry_trigger: news.trigger });
        break;
      case 'performed':
        this.#duration.observe(news.durationMs, { success: String(news.ok) });
        break;
      case 'state':
        this.#pending.set(news.deferred, { reason: 'deferred' });
        this.#pending.set(news.infeasible, { reason: 'infeasible' });
        this.#inProgress.set(news.inProgress);
        break;
    }
  }
}
