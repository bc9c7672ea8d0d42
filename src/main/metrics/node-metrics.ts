/**
 * The metrics of the node agent: what it runs, how its calls to the runtime
 * go, and the process itself. Names and labels are upstream's where the
 * meaning is the same.
 */
import type { CallObserver, InFlightCall } from '../../adapters/cri/call-tracker.ts';
import type { Agent } from '../../agent/agent-ports.ts';
import { type Clock, toWall } from '../../base/async/clock.ts';
import { Counter, Gauge, Histogram, MetricRegistry } from '../../base/metric-registry.ts';
import { isStatic } from '../../core/api/pod-identity.ts';
import type { FeatureGates } from '../config/features.ts';
import { addEvictionMetrics } from './eviction-metrics.ts';
import { addLogMetrics } from './log-metrics.ts';
import { addProcess, addStartTime } from './process-metrics.ts';
import { addRegistryMetrics } from './registry-metrics.ts';
import { addVolumeMetrics } from './volume-metrics.ts';

const CALL_BUCKETS = Array.from({ length: 14 }, (_, n) => 0.005 * 2.5 ** n);
const CALL_LABELS = ['operation_type'];

export interface NodeMetricsFacts {
  readonly nodeName: string;
  readonly cgroupVersion: 1 | 2;
  readonly version: string;
  readonly features: FeatureGates;
}

export class NodeMetrics implements CallObserver {
  readonly registry = new MetricRegistry();
  /** Of the probes alone; it has a path of its own. */
  readonly probes = new MetricRegistry();
  readonly webSockets: Counter;
  readonly #calls: Counter;
  readonly #callErrors: Counter;
  readonly #callSeconds: Histogram;

  constructor() {
    const { registry } = this;
    this.#calls = registry.add(
      new Counter({
        name: 'kubelet_runtime_operations_total',
        help: 'Cumulative number of runtime operations by operation type.',
        labels: CALL_LABELS,
      }),
    );
    this.#callErrors = registry.add(
      new Counter({
        name: 'kubelet_runtime_operations_errors_total',
        help: 'Cumulative number of runtime operation errors by operation type.',
        labels: CALL_LABELS,
      }),
    );
    this.#callSeconds = registry.add(
      new Histogram({
        name: 'kubelet_runtime_operations_duration_seconds',
        help: 'Duration in seconds of runtime operations. Broken down by operation type.',
        labels: CALL_LABELS,
        buckets: CALL_BUCKETS,
      }),
    );
    this.webSockets = registry.add(
      new Counter({
        name: 'kubelet_websocket_streaming_requests_total',
        help: 'Number of WebSocket streaming requests the kubelet translated or tunnelled.',
        labels: ['subresource'],
      }),
    );
  }

  /** One call to the runtime has ended. */
  ended({ operation }: InFlightCall, durationMs: number, error?: unknown): void {
    const labels = { operation_type: operation };
    this.#calls.add(1, labels);
    if (error !== undefined) this.#callErrors.add(1, labels);
    this.#callSeconds.observe(durationMs / 1000, labels);
  }

  /** Adds the metrics that need the node. */
  describeNode(facts: NodeMetricsFacts): void {
    const { registry } = this;
    const name = registry.add(
      new Gauge({
        name: 'kubelet_node_name',
        help: "The node's name. The count is always 1.",
        labels: ['node'],
      }),
    );
    name.set(1, { node: facts.nodeName });
    registry
      .add(new Gauge({ name: 'kubelet_cgroup_version', help: 'cgroup version on the hosts.' }))
      .set(facts.cgroupVersion);
    addBuildInfo(registry, facts.version);
    const gates = registry.add(
      new Gauge({
        name: 'kubernetes_feature_enabled',
        help: 'This metric records the data about the stage and enablement of a k8s feature.',
        stability: 'BETA',
        labels: ['name', 'stage'],
      }),
    );
    for (const { name: gate, stage, enabled } of facts.features.list())
      gates.set(enabled ? 1 : 0, { name: gate, stage: stage === 'GA' ? '' : stage });
    addStartTime(registry, 'NONE');
    addStartTime(this.probes, 'ALPHA');
    addProcess(registry);
    addRegistryMetrics(registry);
    registry
      .add(
        new Gauge({
          name: 'kubelet_metrics_provider',
          help: "Metrics provider used by kubelet to collect container stats. Values can be 'cadvisor' and 'cri'",
          labels: ['provider'],
        }),
      )
      .set(1, { provider: facts.features.enabled('PodAndContainerStatsFromCRI') ? 'cri' : 'cadvisor' });
  }

  /** The runtime does not report its cgroup driver: a later release will require it. */
  noteOldRuntime(): void {
    const help =
      'the Kubernetes version that the currently running CRI implementation will lose support on if not upgraded.';
    this.registry
      .add(new Gauge({ name: 'kubelet_cri_losing_support', help, labels: ['version'] }))
      .set(1, { version: '1.37.0' });
  }

  /** Adds what is counted from the agent's views at every scrape. */
  describePods(
    { desired, observer, volumeStats, statistics, evictor }: Agent,
    clock: Pick<Clock, 'now' | 'steady'>,
  ): void {
    const { registry } = this;
    addLogMetrics(registry, statistics);
    addVolumeMetrics(registry, () => volumeStats.list());
    if (evictor !== undefined) addEvictionMetrics(registry, evictor);
    const add = (name: string, help: string, labels: string[] = []): Gauge =>
      registry.add(new Gauge({ name, help, labels }));
    const desiredPods = add(
      'kubelet_desired_pods',
      'The number of pods the kubelet is being instructed to run.',
      ['static'],
    );
    const running = add('kubelet_running_pods', 'Number of pods that have a running pod sandbox');
    const containers = add('kubelet_running_containers', 'Number of containers currently running', [
      'container_state',
    ]);
    const seen = add(
      'kubelet_pleg_last_seen_seconds',
      'Timestamp in seconds when the runtime was last listed.',
    );
    registry.onRead(() => {
      const pods = [...desired.records.values()].filter(({ source }) => source !== 'runtime');
      const own = pods.filter(({ pod }) => isStatic(pod)).length;
      desiredPods.set(pods.length - own, { static: '' });
      desiredPods.set(own, { static: 'true' });
      running.set(0);
      containers.reset();
      for (const pod of observer.lastReadings()) {
        if ([...pod.sandboxes].some(({ ready }) => ready)) running.add(1);
        for (const { state } of pod.containers) containers.add(1, { container_state: state });
      }
      const { lastRelistMs } = observer;
      seen.set(lastRelistMs === undefined ? 0 : toWall(clock, lastRelistMs) / 1000);
    });
  }
}

function addBuildInfo(registry: MetricRegistry, version: string): void {
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(version) ?? [];
  const labels = [
    'build_date',
    'compiler',
    'git_commit',
    'git_tree_state',
    'git_version',
    'go_version',
    'major',
    'minor',
    'platform',
  ];
  const info = new Gauge({
    name: 'kubernetes_build_info',
    help: 'A metric with a constant 1 value labeled by what the program was built from.',
    stability: 'BETA',
    labels,
  });
  const platform = `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const runtime = `node${process.versions.node}`;
  const values = { compiler: 'v8', git_version: version, go_version: runtime, major, minor, platform };
  registry.add(info).set(1, values);
}
