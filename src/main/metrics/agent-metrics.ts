/** What the agent does, counted: probes, passes of workers, starts, and looks at the runtime. */
import type { Clock } from '../../base/clock.ts';
import { Counter, Histogram, type MetricRegistry } from '../../base/metric-registry.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { Action, ContainerRole } from '../../core/model/actions.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { ProbeKind } from '../../core/model/probe-results.ts';
import type { ResizeMeasurement } from '../../core/pod/resize-measurement.ts';
import type {
  ActionFailure,
  AgentCount,
  AgentMeter,
  MeteredProbe,
  PassKind,
} from '../../ports/agent-meter.ts';
import { ResizeMetrics } from './resize-metrics.ts';
import { SpecialStarts } from './special-starts.ts';

const STATUS_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 20, 30, 45, 60];

const PROBE_TYPES: Readonly<Record<ProbeKind, string>> = {
  liveness: 'Liveness',
  readiness: 'Readiness',
  startup: 'Startup',
};

/** As metrics name the kinds of containers. */
export const CONTAINER_TYPES: Readonly<Record<ContainerRole, string>> = {
  init: 'init_container',
  sidecar: 'init_container',
  regular: 'container',
  ephemeral: 'ephemeral_container',
};

export interface AgentMetricsParts {
  readonly registry: MetricRegistry;
  readonly probes: MetricRegistry;
  readonly clock: Pick<Clock, 'now'>;
  /** When the agent first saw a pod. */
  readonly seenAtMs: (uid: PodUid) => number | undefined;
}

export class AgentMetrics implements AgentMeter {
  readonly #parts: AgentMetricsParts;
  readonly #probeTotal: Counter;
  readonly #probeSeconds: Histogram;
  readonly #passSeconds: Histogram;
  readonly #workerStartSeconds: Histogram;
  readonly #startedPods: Counter;
  readonly #startedPodErrors: Counter;
  readonly #startedContainers: Counter;
  readonly #startedContainerErrors: Counter;
  readonly #relistSeconds: Histogram;
  readonly #relistInterval: Histogram;
  readonly #podRelistSeconds: Histogram;
  readonly #statusSeconds: Histogram;
  readonly #evictions: Counter;
  readonly #streamErrors: Counter;
  readonly #streamSuccesses: Counter;
  readonly #streamSeconds: Histogram;
  readonly #volumeSeconds: Histogram;
  readonly #resizes: ResizeMetrics;
  readonly #special: SpecialStarts;
  readonly #counts: Readonly<Record<AgentCount, Counter>>;
  #lastRelistMs: number | undefined;

  constructor(parts: AgentMetricsParts) {
    this.#parts = parts;
    const { registry, probes } = parts;
    this.#resizes = new ResizeMetrics(registry);
    this.#special = new SpecialStarts(registry);
    const counter = (name: string, help: string, labels: string[] = []): Counter =>
      registry.add(new Counter({ name, help, labels }));
    const histogram = (name: string, help: string, labels: string[] = []): Histogram =>
      registry.add(new Histogram({ name, help, labels }));
    this.#counts = {
      'hook-plain-retry': counter(
        'kubelet_lifecycle_handler_http_fallbacks_total',
        'The number of times lifecycle handlers successfully fell back to http from https.',
      ),
      'sleep-cut-short': counter(
        'kubelet_sleep_action_terminated_early_total',
        'The number of times lifecycle sleep handler got terminated before it finishes',
      ),
    };
    // Wake-ups are merged, never dropped: it stays at zero, where alerts expect it.
    counter('kubelet_pleg_discard_events', 'The number of discard events in PLEG.');
    this.#probeTotal = probes.add(
      new Counter({
        name: 'prober_probe_total',
        help: 'Cumulative number of a liveness, readiness or startup probe for a container by result.',
        stability: 'BETA',
        labels: ['container', 'namespace', 'pod', 'pod_uid', 'probe_type', 'result'],
      }),
    );
    this.#probeSeconds = probes.add(
      new Histogram({
        name: 'prober_probe_duration_seconds',
        help: 'Duration in seconds for a probe response.',
        labels: ['container', 'namespace', 'pod', 'probe_type'],
      }),
    );
    this.#passSeconds = histogram(
      'kubelet_pod_worker_duration_seconds',
      'Duration in seconds of one pass of a pod worker. Broken down by operation type: create, sync or kill',
      ['operation_type'],
    );
    this.#workerStartSeconds = histogram(
      'kubelet_pod_worker_start_duration_seconds',
      'Duration in seconds from kubelet seeing a pod to starting a worker.',
    );
    this.#evictions = counter('kubelet_evictions', 'Cumulative number of pod evictions by eviction signal', [
      'eviction_signal',
    ]);
    this.#startedPods = counter('kubelet_started_pods_total', 'Cumulative number of pods started');
    this.#startedPodErrors = counter(
      'kubelet_started_pods_errors_total',
      'Cumulative number of errors when starting pods',
    );
    this.#startedContainers = counter(
      'kubelet_started_containers_total',
      'Cumulative number of containers started',
      ['container_type'],
    );
    this.#startedContainerErrors = counter(
      'kubelet_started_containers_errors_total',
      'Cumulative number of errors when starting containers',
      ['code', 'container_type'],
    );
    this.#relistSeconds = histogram(
      'kubelet_pleg_relist_duration_seconds',
      'Duration in seconds for listing all pods of the runtime.',
    );
    this.#relistInterval = histogram(
      'kubelet_pleg_relist_interval_seconds',
      'Interval in seconds between such listings.',
    );
    this.#podRelistSeconds = histogram(
      'kubelet_pleg_pod_relist_duration_seconds',
      'Duration in seconds for reading a single pod from the runtime.',
    );
    this.#volumeSeconds = histogram(
      'kubelet_volume_metric_collection_duration_seconds',
      'Duration in seconds to calculate volume stats',
      ['metric_source'],
    );
    this.#statusSeconds = registry.add(
      new Histogram({
        name: 'kubelet_pod_status_sync_duration_seconds',
        help: 'Duration in seconds to sync a pod status update. Measures time from detection of a change to pod status until the API is successfully updated for that pod, even if multiple intermediate changes to pod status occur.',
        buckets: STATUS_BUCKETS,
      }),
    );
    this.#streamErrors = counter(
      'kubelet_evented_pleg_connection_error_count',
      'The number of errors encountered during the establishment of streaming connection with the CRI runtime.',
    );
    this.#streamSuccesses = counter(
      'kubelet_evented_pleg_connection_success_count',
      'The number of times a streaming client was obtained to receive CRI Events.',
    );
    this.#streamSeconds = histogram(
      'kubelet_evented_pleg_connection_latency_seconds',
      'The latency of streaming connection with the CRI runtime, measured in seconds.',
    );
  }

  probed({ kind, pod, container }: MeteredProbe, result: string, durationMs: number): void {
    const { namespace, name, uid } = pod.metadata;
    const labels = { container, namespace, pod: name, probe_type: PROBE_TYPES[kind] };
    this.#probeTotal.add(1, { ...labels, pod_uid: uid, result });
    this.#probeSeconds.observe(durationMs / 1000, labels);
  }

  /** Drops the probe metrics of a pod that is gone. */
  forget({ namespace, name, uid }: { namespace: string; name: string; uid: string }): void {
    this.#probeTotal.remove({ pod_uid: uid });
    this.#probeSeconds.remove({ namespace, pod: name });
  }

  passed(uid: PodUid, kind: PassKind, durationMs: number): void {
    this.#passSeconds.observe(durationMs / 1000, { operation_type: kind });
    const { clock, seenAtMs } = this.#parts;
    const seen = kind === 'create' ? seenAtMs(uid) : undefined;
    if (seen !== undefined)
      this.#workerStartSeconds.observe(Math.max(0, clock.now() - durationMs - seen) / 1000);
  }

  counted(what: AgentCount): void {
    this.#counts[what].add(1);
  }

  performed(action: Action, failure: ActionFailure | undefined, pod: Pod): void {
    this.#special.note(action, failure, pod);
    if (action.kind === 'create-sandbox') {
      this.#startedPods.add(1);
      if (failure !== undefined) this.#startedPodErrors.add(1);
    }
    if (action.kind !== 'start-container') return;
    const type = { container_type: CONTAINER_TYPES[action.role] };
    this.#startedContainers.add(1, type);
    if (failure !== undefined) this.#startedContainerErrors.add(1, { ...type, code: failure.reason });
  }

  resized(measured: ResizeMeasurement): void {
    this.#resizes.note(measured);
  }

  volumeMeasured(source: string, durationMs: number): void {
    this.#volumeSeconds.observe(durationMs / 1000, { metric_source: source });
  }

  relisted(startedAtMs: number, durationMs: number): void {
    this.#relistSeconds.observe(durationMs / 1000);
    if (this.#lastRelistMs !== undefined)
      this.#relistInterval.observe((startedAtMs - this.#lastRelistMs) / 1000);
    this.#lastRelistMs = startedAtMs;
  }

  podRead(durationMs: number): void {
    this.#podRelistSeconds.observe(durationMs / 1000);
  }

  /** A change of a status has reached the API server. */
  statusSynced(durationMs: number): void {
    this.#statusSeconds.observe(durationMs / 1000);
  }

  evicted(signal: string): void {
    this.#evictions.add(1, { eviction_signal: signal });
  }

  eventsOpened(durationMs: number | undefined): void {
    if (durationMs === undefined) {
      this.#streamErrors.add(1);
      return;
    }
    this.#streamSuccesses.add(1);
    this.#streamSeconds.observe(durationMs / 1000);
  }
}
