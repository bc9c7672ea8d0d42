/** How long pods take to start, by upstream's three measures, and the first pod with a network of its own. */
import { Gauge, Histogram, type MetricRegistry } from '../../../base/metric-registry.ts';
import type { Pod } from '../../../core/api/pod.ts';

const BUCKETS = [
  0.5, 1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 45, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700,
  3600,
];
const MEASURED = 'measured from pod creation timestamp to when all its containers are reported as started';

export class PodStartMetrics {
  readonly #seen: Histogram;
  readonly #sli: Histogram;
  readonly #total: Histogram;
  readonly #firstNetworkStart: Gauge;
  #networkPodSeen = false;

  constructor(registry: MetricRegistry) {
    const start = (what: string, help: string): Histogram =>
      registry.add(
        new Histogram({ name: `kubelet_pod_start_${what}duration_seconds`, help, buckets: BUCKETS }),
      );
    this.#seen = start(
      '',
      'Duration in seconds from kubelet seeing a pod for the first time to the pod starting to run',
    );
    this.#sli = start(
      'sli_',
      `Duration in seconds to start a pod, excluding time to pull images and run init containers, ${MEASURED}`,
    );
    this.#total = start(
      'total_',
      `Duration in seconds to start a pod since creation, including time to pull images and run init containers, ${MEASURED}`,
    );
    this.#firstNetworkStart = registry.add(
      new Gauge({
        name: 'kubelet_first_network_pod_start_sli_duration_seconds',
        help: `Duration in seconds to start the first network pod, excluding time to pull images and run init containers, ${MEASURED}`,
        stability: 'INTERNAL',
      }),
    );
  }

  /** From the first sight of a pod to its first running container. */
  seen(durationMs: number): void {
    this.#seen.observe(durationMs / 1000);
  }

  /** From the creation of the pod to the start of its last container. */
  total(durationMs: number): void {
    this.#total.observe(durationMs / 1000);
  }

  /** The same without pulls and init containers. The first pod with a network of its own shows how the network plugin does. */
  comparable({ spec }: Pod, durationMs: number): void {
    this.#sli.observe(durationMs / 1000);
    if (spec.hostNetwork === true || this.#networkPodSeen) return;
    this.#networkPodSeen = true;
    this.#firstNetworkStart.set(durationMs / 1000);
  }
}
