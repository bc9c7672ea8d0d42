/** Probes, counted and timed, in a registry of their own. */
import { Counter, Histogram, type MetricRegistry } from '../../../base/metric-registry.ts';
import type { ProbeKind } from '../../../core/model/probe-results.ts';
import type { MeteredProbe } from '../../../ports/agent-meter.ts';

const PROBE_TYPES: Readonly<Record<ProbeKind, string>> = {
  liveness: 'Liveness',
  readiness: 'Readiness',
  startup: 'Startup',
};

export class ProbeMetrics {
  readonly #total: Counter;
  readonly #seconds: Histogram;

  constructor(registry: MetricRegistry) {
    this.#total = registry.add(
      new Counter({
        name: 'prober_probe_total',
        help: 'Cumulative number of a liveness, readiness or startup probe for a container by result.',
        stability: 'BETA',
        labels: ['container', 'namespace', 'pod', 'pod_uid', 'probe_type', 'result'],
      }),
    );
    this.#seconds = registry.add(
      new Histogram({
        name: 'prober_probe_duration_seconds',
        help: 'Duration in seconds for a probe response.',
        labels: ['container', 'namespace', 'pod', 'probe_type'],
      }),
    );
  }

  note({ kind, pod, container }: MeteredProbe, result: string, durationMs: number): void {
    const { namespace, name, uid } = pod.metadata;
    const labels = { container, namespace, pod: name, probe_type: PROBE_TYPES[kind] };
    this.#total.add(1, { ...labels, pod_uid: uid, result });
    this.#seconds.observe(durationMs / 1000, labels);
  }

  /** Drops what was counted for a pod that is gone. */
  forget({ namespace, name, uid }: { namespace: string; name: string; uid: string }): void {
    this.#total.remove({ pod_uid: uid });
    this.#seconds.remove({ namespace, pod: name });
  }
}
