/** Device plugins, counted: registrations and how long allocations take. */
import { Counter, Histogram, type MetricRegistry } from '../../../base/metric-registry.ts';

export class DeviceMetrics {
  readonly #registrations: Counter;
  readonly #allocations: Histogram;

  constructor(registry: MetricRegistry) {
    this.#registrations = registry.add(
      new Counter({
        name: 'kubelet_device_plugin_registration_total',
        help: 'Cumulative number of device plugin registrations. Broken down by resource name.',
        labels: ['resource_name'],
      }),
    );
    this.#allocations = registry.add(
      new Histogram({
        name: 'kubelet_device_plugin_alloc_duration_seconds',
        help: 'Duration in seconds to serve a device plugin Allocation request. Broken down by resource name.',
        labels: ['resource_name'],
      }),
    );
  }

  registered(resource: string): void {
    this.#registrations.add(1, { resource_name: resource });
  }

  allocated(resource: string, durationMs: number): void {
    this.#allocations.observe(durationMs / 1000, { resource_name: resource });
  }
}
