/** Assignments of CPUs, memory and devices to containers, counted. */
import { Counter, Gauge, Histogram, type MetricRegistry } from '../../../base/metric-registry.ts';
import type { AssignmentMeasurement, CpuMeasurement } from '../../../core/topology/assignment-measurement.ts';

const DURATION_BUCKETS_MS = Array.from({ length: 15 }, (_, power) => 0.05 * 2 ** power);

/** They are there before anything was counted: a rate over them needs a start. */
const SERIES = [
  ['container', 'numa_node'],
  ['pod', 'numa_node'],
  ['container', 'physical_cpu'],
  ['container', 'uncore_cache'],
] as const;

export class AssignmentMetrics {
  readonly #requests: Counter;
  readonly #errors: Counter;
  readonly #duration: Histogram;
  readonly #aligned: Counter;
  readonly #misaligned: Counter;
  readonly #pinning: Readonly<Record<'cpu' | 'memory', PinningCounters>>;
  readonly #cpus: CpuGauges;

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
    this.#pinning = {
      cpu: {
        requests: counter(
          'kubelet_cpu_manager_pinning_requests_total',
          'The number of cpu core allocations which required pinning.',
        ),
        errors: counter(
          'kubelet_cpu_manager_pinning_errors_total',
          'The number of cpu core allocations which required pinning failed.',
        ),
      },
      memory: {
        requests: counter(
          'kubelet_memory_manager_pinning_requests_total',
          'The number of memory pages allocations which required pinning.',
        ),
        errors: counter(
          'kubelet_memory_manager_pinning_errors_total',
          'The number of memory pages allocations which required pinning that failed.',
        ),
      },
    };
    this.#cpus = addCpuGauges(registry);
    for (const [scope, boundary] of SERIES) {
      this.#aligned.add(0, { scope, boundary });
      this.#misaligned.add(0, { scope, boundary });
    }
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
      case 'pinned': {
        const { requests, errors } = this.#pinning[measured.resource];
        requests.add(1);
        if (!measured.ok) errors.add(1);
        break;
      }
      case 'cpus':
        this.#setCpus(measured);
        break;
      case 'aligned': {
        const { scope, boundary } = measured;
        (measured.ok ? this.#aligned : this.#misaligned).add(1, { scope, boundary });
        break;
      }
    }
  }
  #setCpus({ sharedMilli, exclusive, byNode }: CpuMeasurement): void {
    this.#cpus.shared.set(sharedMilli);
    this.#cpus.exclusive.set(exclusive);
    for (const [node, count] of byNode) this.#cpus.byNode.set(count, { numa_node: String(node) });
  }
}

interface PinningCounters {
  readonly requests: Counter;
  readonly errors: Counter;
}

interface CpuGauges {
  readonly shared: Gauge;
  readonly exclusive: Gauge;
  readonly byNode: Gauge;
}

function addCpuGauges(registry: MetricRegistry): CpuGauges {
  const gauge = (name: string, help: string, labels: string[] = []): Gauge =>
    registry.add(new Gauge({ name, help, labels }));
  return {
    shared: gauge(
      'kubelet_cpu_manager_shared_pool_size_millicores',
      'The size of the shared CPU pool for non-guaranteed QoS pods, in millicores.',
    ),
    exclusive: gauge(
      'kubelet_cpu_manager_exclusive_cpu_allocation_count',
      'The total number of CPUs exclusively allocated to containers running on this node',
    ),
    byNode: gauge('kubelet_cpu_manager_allocation_per_numa', 'Number of CPUs allocated per NUMA node', [
      'numa_node',
    ]),
  };
}
