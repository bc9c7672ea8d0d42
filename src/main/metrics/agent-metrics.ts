/** What the agent does, counted. Probes, starts, resizes and the watch of the runtime have classes of their own. */
import type { Clock } from '../../base/async/clock.ts';
import { Counter, Histogram, type MetricRegistry } from '../../base/metric-registry.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { Action } from '../../core/model/actions.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { ResizeMeasurement } from '../../core/pod/resize-measurement.ts';
import type { AssignmentMeasurement } from '../../core/topology/assignment-measurement.ts';
import type {
  ActionFailure,
  AgentCount,
  AgentMeter,
  MeteredProbe,
  PassKind,
} from '../../ports/agent-meter.ts';
import { AssignmentMetrics } from './pod/assignment-metrics.ts';
import { ClaimMetrics } from './pod/claim-metrics.ts';
import { DeviceMetrics } from './pod/device-metrics.ts';
import { ProbeMetrics } from './pod/probe-metrics.ts';
import { ResizeMetrics } from './pod/resize-metrics.ts';
import { StartMetrics } from './pod/start-metrics.ts';
import { RuntimeWatchMetrics } from './runtime-watch-metrics.ts';

const STATUS_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 20, 30, 45, 60];

export interface AgentMetricsParts {
  readonly registry: MetricRegistry;
  readonly probes: MetricRegistry;
  readonly clock: Pick<Clock, 'now'>;
  /** When the agent first saw a pod. */
  readonly seenAtMs: (uid: PodUid) => number | undefined;
}

export class AgentMetrics implements AgentMeter {
  readonly #parts: AgentMetricsParts;
  readonly #passSeconds: Histogram;
  readonly #workerStartSeconds: Histogram;
  readonly #statusSeconds: Histogram;
  readonly #evictions: Counter;
  readonly #evictionStatsSeconds: Histogram;
  readonly #volumeSeconds: Histogram;
  readonly #resizes: ResizeMetrics;
  readonly #assignments: AssignmentMetrics;
  readonly #devices: DeviceMetrics;
  readonly #claims: ClaimMetrics;
  readonly #probes: ProbeMetrics;
  readonly #starts: StartMetrics;
  readonly #runtime: RuntimeWatchMetrics;
  readonly #counts: Readonly<Record<AgentCount, Counter>>;

  constructor(parts: AgentMetricsParts) {
    this.#parts = parts;
    const { registry, probes } = parts;
    this.#resizes = new ResizeMetrics(registry);
    this.#assignments = new AssignmentMetrics(registry);
    this.#devices = new DeviceMetrics(registry);
    this.#claims = new ClaimMetrics(registry);
    this.#probes = new ProbeMetrics(probes);
    this.#starts = new StartMetrics(registry);
    this.#runtime = new RuntimeWatchMetrics(registry);
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
    this.#evictionStatsSeconds = histogram(
      'kubelet_eviction_stats_age_seconds',
      'Time between when stats are collected, and when pod is evicted based on those stats by eviction signal',
      ['eviction_signal'],
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
  }

  probed(probe: MeteredProbe, result: string, durationMs: number): void {
    this.#probes.note(probe, result, durationMs);
  }

  /** Drops the probe metrics of a pod that is gone. */
  forget(pod: { namespace: string; name: string; uid: string }): void {
    this.#probes.forget(pod);
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
    this.#starts.note(action, failure, pod);
  }

  resized(measured: ResizeMeasurement): void {
    this.#resizes.note(measured);
  }

  assigned(measured: AssignmentMeasurement): void {
    this.#assignments.note(measured);
  }

  deviceRegistered(resource: string): void {
    this.#devices.registered(resource);
  }

  devicesAllocated(resource: string, durationMs: number): void {
    this.#devices.allocated(resource, durationMs);
  }

  claimsHandled(operation: string, failed: boolean, durationMs: number): void {
    this.#claims.handled(operation, failed, durationMs);
  }

  volumeMeasured(source: string, durationMs: number): void {
    this.#volumeSeconds.observe(durationMs / 1000, { metric_source: source });
  }

  relisted(startedAtMs: number, durationMs: number): void {
    this.#runtime.relisted(startedAtMs, durationMs);
  }

  podRead(durationMs: number): void {
    this.#runtime.podRead(durationMs);
  }

  /** A change of a status has reached the API server. */
  statusSynced(durationMs: number): void {
    this.#statusSeconds.observe(durationMs / 1000);
  }

  evicted(signal: string): void {
    this.#evictions.add(1, { eviction_signal: signal });
  }

  evictionStatsUsed(signal: string, ageMs: number): void {
    this.#evictionStatsSeconds.observe(ageMs / 1_000, { eviction_signal: signal });
  }

  eventsOpened(durationMs: number | undefined): void {
    this.#runtime.eventsOpened(durationMs);
  }
}
