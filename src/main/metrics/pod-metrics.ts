/**
 * Metrics of pods, from the stores everybody reads: how long starts take and
 * how containers end. Does something only when a pod changes; what can be
 * counted at any time is counted when somebody reads.
 */

import type { DesiredPod } from '../../agent/desired-pods.ts';
import type { PublishedStatus } from '../../agent/status-board.ts';
import type { Clock } from '../../base/clock.ts';
import { Counter, Gauge, Histogram, type MetricRegistry } from '../../base/metric-registry.ts';
import type { StoreView } from '../../base/store.ts';
import { isStatic } from '../../core/api/pod-identity.ts';
import type { ContainerStatus, PodStatus } from '../../core/api/pod-status.ts';
import type { PodUid } from '../../core/pod/ids.ts';
import { readStartTimes } from './pod-start-times.ts';

const START_BUCKETS = [
  0.5, 1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 45, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700,
  3600,
];

export interface PodMetricsParts {
  readonly registry: MetricRegistry;
  readonly clock: Pick<Clock, 'now'>;
  /** What starts before it is no doing of this agent. */
  readonly startedAtMs: number;
}

export interface FollowedStores {
  readonly records: StoreView<PodUid, DesiredPod>;
  readonly published: StoreView<PodUid, PublishedStatus>;
  /** When images of the pod were pulled, in milliseconds from first to last. */
  readonly pullMs: (uid: PodUid) => number;
  readonly onGone: (pod: DesiredPod['pod']) => void;
}

interface Known {
  readonly pod: DesiredPod['pod'];
  readonly seenAtMs: number;
  /** It was not running when it was first seen, and has not been since. */
  waits: boolean;
  /** Its refusal was counted. */
  rejected: boolean;
  /** Instances whose end was counted. */
  readonly ended: Set<string>;
}

export class PodMetrics {
  readonly #parts: PodMetricsParts;
  readonly #known = new Map<PodUid, Known>();
  readonly #starts: { readonly seen: Histogram; readonly sli: Histogram; readonly total: Histogram };
  readonly #sizes: Histogram;
  readonly #terminated: Counter;
  readonly #orphans: Counter;
  readonly #rejections: Counter;

  constructor(parts: PodMetricsParts) {
    this.#parts = parts;
    const { registry } = parts;
    const start = (what: string, help: string): Histogram =>
      registry.add(
        new Histogram({ name: `kubelet_pod_start_${what}duration_seconds`, help, buckets: START_BUCKETS }),
      );
    const measured =
      'measured from pod creation timestamp to when all its containers are reported as started';
    this.#starts = {
      seen: start(
        '',
        'Duration in seconds from kubelet seeing a pod for the first time to the pod starting to run',
      ),
      sli: start(
        'sli_',
        `Duration in seconds to start a pod, excluding time to pull images and run init containers, ${measured}`,
      ),
      total: start(
        'total_',
        `Duration in seconds to start a pod since creation, including time to pull images and run init containers, ${measured}`,
      ),
    };
    this.#sizes = registry.add(
      new Histogram({
        name: 'kubelet_containers_per_pod_count',
        help: 'The number of containers per pod.',
        buckets: [1, 2, 4, 8, 16],
      }),
    );
    this.#terminated = registry.add(
      new Counter({
        name: 'kubelet_terminated_containers_total',
        help: 'Cumulative number of container terminations.',
        labels: ['container_type', 'exit_code', 'reason'],
      }),
    );
    this.#rejections = registry.add(
      new Counter({
        name: 'kubelet_admission_rejections_total',
        help: 'Cumulative number pod admission rejections by the Kubelet.',
        labels: ['reason'],
      }),
    );
    this.#orphans = registry.add(
      new Counter({
        name: 'kubelet_orphaned_runtime_pods_total',
        help: 'Number of pods that were found in the container runtime and that no source names.',
      }),
    );
  }

  seenAtMs(uid: PodUid): number | undefined {
    return this.#known.get(uid)?.seenAtMs;
  }

  /** Counts from now on; dispose the result to stop. */
  follow(stores: FollowedStores): Disposable {
    const stack = new DisposableStack();
    stack.use(stores.records.subscribe((uid, record) => this.#onRecord(uid, record, stores)));
    stack.use(
      stores.published.subscribe((uid, published) => {
        if (published !== undefined) this.#onStatus(uid, published.status, stores);
      }),
    );
    this.#addGauges(stores);
    return stack;
  }

  #onRecord(uid: PodUid, record: DesiredPod | undefined, { onGone }: FollowedStores): void {
    const known = this.#known.get(uid);
    if (record === undefined) {
      this.#known.delete(uid);
      if (known !== undefined) onGone(known.pod);
      return;
    }
    if (known !== undefined) {
      this.#noteRejection(known, record);
      return;
    }
    const { pod, source } = record;
    const phase = pod.status?.phase ?? 'Pending';
    const waits = source !== 'runtime' && phase === 'Pending' && record.termination === undefined;
    const seenAtMs = this.#parts.clock.now();
    this.#known.set(uid, { pod, seenAtMs, waits, rejected: false, ended: new Set() });
    if (source === 'runtime') this.#orphans.add(1);
    else this.#sizes.observe(pod.spec.containers.length);
  }

  #noteRejection(known: Known, { termination }: DesiredPod): void {
    if (known.rejected || termination?.cause !== 'rejected') return;
    known.rejected = true;
    this.#rejections.add(1, { reason: termination.verdict?.reason ?? '' });
  }

  #onStatus(uid: PodUid, status: PodStatus, { pullMs }: FollowedStores): void {
    const known = this.#known.get(uid);
    if (known === undefined) return;
    this.#countEnds(known, status);
    if (!known.waits || (status.phase ?? 'Pending') === 'Pending') return;
    known.waits = false;
    const times = readStartTimes(status);
    // Found running after a restart of the agent: somebody else's start.
    if (times === undefined || times.startedAtMs < this.#parts.startedAtMs) return;
    const nowMs = this.#parts.clock.now();
    this.#starts.seen.observe((nowMs - known.seenAtMs) / 1000);
    const { creationTimestamp } = known.pod.metadata;
    if (creationTimestamp === undefined || isStatic(known.pod)) return;
    const totalMs = nowMs - Date.parse(creationTimestamp);
    this.#starts.total.observe(totalMs / 1000);
    this.#starts.sli.observe(Math.max(0, totalMs - pullMs(uid) - times.initMs) / 1000);
  }

  #countEnds({ ended }: Known, status: PodStatus): void {
    const kinds: readonly (readonly [string, readonly ContainerStatus[] | undefined])[] = [
      ['init_container', status.initContainerStatuses],
      ['container', status.containerStatuses],
      ['ephemeral_container', status.ephemeralContainerStatuses],
    ];
    for (const [type, statuses] of kinds)
      for (const { state, lastState } of statuses ?? [])
        for (const end of [lastState?.terminated, state?.terminated]) {
          const id = end?.containerID;
          if (end === undefined || id === undefined || id === '' || ended.has(id)) continue;
          ended.add(id);
          if (Date.parse(end.finishedAt ?? '') + 1000 < this.#parts.startedAtMs) continue;
          const labels = { container_type: type, exit_code: String(end.exitCode), reason: end.reason ?? '' };
          this.#terminated.add(1, labels);
        }
  }

  #addGauges({ records, published }: FollowedStores): void {
    const { registry } = this.#parts;
    const gauge = (name: string, help: string, labels: string[] = []): Gauge =>
      registry.add(new Gauge({ name, help, labels }));
    const active = gauge(
      'kubelet_active_pods',
      'The number of pods the kubelet considers active and which are being considered when admitting new pods. static is true if the pod is not from the apiserver.',
      ['static'],
    );
    const mirrors = gauge(
      'kubelet_mirror_pods',
      'The number of mirror pods the kubelet will try to create (one per admitted static pod)',
    );
    const ephemeral = gauge(
      'kubelet_managed_ephemeral_containers',
      'Current number of ephemeral containers in pods managed by this kubelet.',
    );
    const working = gauge(
      'kubelet_working_pods',
      'Number of pods the kubelet is actually running, broken down by lifecycle phase, whether the pod is desired, orphaned, or runtime only (also orphaned), and whether the pod is static.',
      ['config', 'lifecycle', 'static'],
    );
    registry.onRead(() => {
      const hasEnded = (uid: PodUid): boolean => published.get(uid)?.mayRun === false;
      const all = [...records.values()];
      const own = all.filter(({ source }) => source !== 'runtime');
      for (const [label, wanted] of [
        ['', false],
        ['true', true],
      ] as const) {
        const some = own.filter(({ uid, pod }) => isStatic(pod) === wanted && !hasEnded(uid));
        active.set(some.length, { static: label });
        for (const lifecycle of LIFECYCLES) working.set(0, { config: 'desired', lifecycle, static: label });
        for (const lifecycle of LIFECYCLES) working.set(0, { config: 'orphan', lifecycle, static: label });
      }
      for (const lifecycle of LIFECYCLES)
        working.set(0, { config: 'runtime_only', lifecycle, static: 'unknown' });
      for (const record of all) {
        const lifecycle = hasEnded(record.uid)
          ? 'terminated'
          : record.termination === undefined
            ? 'sync'
            : 'terminating';
        working.add(1, { ...toConfig(record), lifecycle });
      }
      mirrors.set(own.filter(({ pod, termination }) => isStatic(pod) && termination === undefined).length);
      ephemeral.set(own.reduce((sum, { pod }) => sum + (pod.spec.ephemeralContainers?.length ?? 0), 0));
    });
  }
}

const LIFECYCLES = ['sync', 'terminated', 'terminating'] as const;

/** A pod that its source has taken away is an orphan: only its end is still to do. */
function toConfig({ source, pod, termination }: DesiredPod): { config: string; static: string } {
  if (source === 'runtime') return { config: 'runtime_only', static: 'unknown' };
  const isOrphan = termination?.cause === 'removed' || termination?.cause === 'orphaned';
  return { config: isOrphan ? 'orphan' : 'desired', static: isStatic(pod) ? 'true' : '' };
}
