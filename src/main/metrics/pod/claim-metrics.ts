/** Dynamic resources, counted: operations of the agent, calls of drivers, claims in use. */

import type { DraMeter } from '../../../adapters/devices/dra-client.ts';
import type { Agent } from '../../../agent/agent-ports.ts';
import { Gauge, Histogram, type MetricRegistry } from '../../../base/metric-registry.ts';

/** Fifteen, from 0.1 to 40, each as many times the one before. */
const BUCKETS = Array.from({ length: 15 }, (_, at) => 0.1 * 400 ** (at / 14));

export class ClaimMetrics {
  readonly #operations: Histogram;

  constructor(registry: MetricRegistry) {
    this.#operations = registry.add(
      new Histogram({
        name: 'dra_operations_duration_seconds',
        help: "Latency histogram in seconds for the duration of handling all ResourceClaims referenced by a pod when the pod starts or stops. Identified by the name of the operation (PrepareResources or UnprepareResources) and separated by the success of the operation. The number of failed operations is provided through the histogram's overall count.",
        labels: ['operation_name', 'is_error'],
        buckets: BUCKETS,
      }),
    );
  }

  handled(operation: string, failed: boolean, durationMs: number): void {
    this.#operations.observe(durationMs / 1000, { operation_name: operation, is_error: String(failed) });
  }
}

export function countDraCalls(registry: MetricRegistry): DraMeter {
  const calls = registry.add(
    new Histogram({
      name: 'dra_grpc_operations_duration_seconds',
      help: 'Duration in seconds of the DRA gRPC operations',
      labels: ['driver_name', 'method_name', 'grpc_status_code'],
      buckets: BUCKETS,
    }),
  );
  return (driver, method, code, durationMs) =>
    calls.observe(durationMs / 1000, { driver_name: driver, method_name: method, grpc_status_code: code });
}

export function addClaimCounts(registry: MetricRegistry, { claims }: Pick<Agent, 'claims'>): void {
  if (claims === undefined) return;
  const inUse = registry.add(
    new Gauge({
      name: 'dra_resource_claims_in_use',
      help: 'The number of ResourceClaims that are currently in use on the node, by driver name (driver_name label value) and across all drivers (special value <any> for driver_name). Note that the sum of all by-driver counts is not the total number of in-use ResourceClaims because the same ResourceClaim might use devices from different drivers. Instead, use the count for the <any> driver_name.',
      labels: ['driver_name'],
    }),
  );
  registry.onRead(() => {
    const all = claims.store.all();
    inUse.reset();
    inUse.set(all.length, { driver_name: '<any>' });
    const drivers = all.flatMap((claim) => [...claim.drivers.keys()]);
    for (const [driver, uses] of Map.groupBy(drivers, (name) => name))
      inUse.set(uses.length, { driver_name: driver });
  });
}
