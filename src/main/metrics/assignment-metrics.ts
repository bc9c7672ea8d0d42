/** Assignments of CPUs, memory and devices to containers, counted. */
import { Counter, Histogram, type MetricRegistry } from '../../base/metric-registry.ts';
import type { AssignmentMeasurement } from '../../core/topology/assignment-measurement.ts';

const DURATION_BUCKETS_MS = Array.from({ length: 15 }, (_, power) => 0.05 * 2 ** power);

export class AssignmentMetrics {
  readonly #requests: Counter;
  readonly #errors: Counter;
  readonly #duration: Histogram;
  readonly #aligned: Counter;
  readonly #misaligned: Counter;

  constructor(registry: MetricRegistry) {
    const counter = (name: string, help: string, labels: string[] = []): Counter =>
      registry.add(new Counter({ name, help, labels }));
    this.#requests = counter(
      'kubelet_topology_manager_admission_requests_total',
      'The number of admission requests where resources have to be aligned.',
    );
    this.#errors = counter(
      'kubelet_topology_manager_admission_errors_total',
      'The number of admission request failures where resources could not be aligned.',
    );
    this.#duration = registry.add(
      new Histogram({
        name: 'kubelet_topology_manager_admission_duration_ms',
        help: 'Duration in milliseconds to serve a pod admission request.',
        buckets: DURATION_BUCKETS_MS,
      }),
    );
    this.#aligned = counter(
      'kubelet_container_aligned_compute_resources_count',
      'Cumulative number of aligned compute resources allocated to containers by alignment type.',
      ['scope', 'boundary'],
    );
    this.#misaligned = counter(
      'kubelet_container_aligned_compute_resources_failure_count',
      'Cumulative number of failures to allocate aligned compute resources to containers by alignment type.',
      ['scope', 'boundary'],
    );
  }

  note(measured: AssignmentMeasurement): void {
    switch (measured.kind) {
      case 'requested':
        this.#requests.add(1);
        break;
      case 'admitted':
        this.#duration.observe(measured.durationMs);
        break;
      case 'refused':
        this.#errors.add(1);
        break;
      case 'aligned': {
        const { scope, boundary } = measured;
        (measured.ok ? this.#aligned : this.#misaligned).add(1, { scope, boundary });
        break;
      }
    }
  }
}
