/**
 * Metrics of pods, from the shared stores: how long starts take and how
 * containers end. Does something only when a pod changes; what can be
 * counted at any time is counted at every scrape.
 */

import type { PublishedStatus } from '../../../agent/pod/status-board.ts';
import type { Clock } from '../../../base/async/clock.ts';
import { Counter, Histogram, type MetricRegistry } from '../../../base/metric-registry.ts';
import type { StoreView } from '../../../base/store.ts';
import { isStatic } from '../../../core/api/pod-identity.ts';
import type { ContainerStatus, PodStatus } from '../../../core/api/pod-status.ts';
import type { DesiredPod } from '../../../core/model/desired-pod.ts';
import type { PodUid } from '../../../core/model/ids.ts';
import type { Admission } from '../../../core/node/admit-pod.ts';
import { addPodGauges } from './pod-gauges.ts';
import { PodStartMetrics } from './pod-start-metrics.ts';
import { isComparableStart, readStartTimes } from './pod-start-times.ts';

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
  /** It ran, but not all of its containers have started yet. */
  starts: boolean;
  /** Its refusal was counted. */
  rejected: boolean;
  /** Instances whose end was counted. */
  readonly ended: Set<string>;
}

export class PodMetrics {
  readonly #parts: PodMetricsParts;
  readonly #known = new Map<PodUid, Known>();
  readonly #starts: PodStartMetrics;
  readonly #sizes: Histogram;
  readonly #terminated: Counter;
  readonly #orphans: Counter;
  readonly #rejections: Counter;
  readonly #preemptions: Counter;
  readonly #restarts: Counter;
  /** The record that went in this very step: a pod that comes back in it was kept waiting by its own end. */
  #justGone: PodUid | undefined;

  constructor(parts: PodMetricsParts) {
    this.#parts = parts;
    const { registry } = parts;
    this.#starts = new PodStartMetrics(registry);
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
    this.#preemptions = registry.add(
      new Counter({
        name: 'kubelet_preemptions',
        help: 'Cumulative number of pod preemptions by preemption resource',
        labels: ['preemption_signal'],
      }),
    );
    this.#restarts = registry.add(
      new Counter({
        name: 'kubelet_restarted_pods_total',
        help: 'Number of pods that have been restarted because they were deleted and recreated with the same UID while the kubelet was watching them (common for static pods, extremely uncommon for API pods)',
        labels: ['static'],
      }),
    );
    for (const label of ['', 'true']) this.#restarts.add(0, { static: label });
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

  /** The same admission; pods that have to make room are counted by what is short. */
  admissions<A extends readonly unknown[]>(admit: (...pods: A) => Admission): (...pods: A) => Admission {
    return (...pods) => {
      const admission = admit(...pods);
      if (admission.ok && admission.victims.length > 0)
        this.#preemptions.add(admission.victims.length, { preemption_signal: admission.shortage ?? '' });
      return admission;
    };
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
    addPodGauges(this.#parts.registry, stores);
    return stack;
  }

  #onRecord(uid: PodUid, record: DesiredPod | undefined, { onGone }: FollowedStores): void {
    const known = this.#known.get(uid);
    if (record === undefined) {
      this.#known.delete(uid);
      this.#justGone = uid;
      queueMicrotask(() => {
        this.#justGone = undefined;
      });
      if (known !== undefined) onGone(known.pod);
      return;
    }
    if (uid === this.#justGone) this.#restarts.add(1, { static: isStatic(record.pod) ? 'true' : '' });
    if (known !== undefined) {
      this.#noteRejection(known, record);
      return;
    }
    const { pod, source } = record;
    const phase = pod.status?.phase ?? 'Pending';
    const waits = source !== 'runtime' && phase === 'Pending' && record.termination === undefined;
    const seenAtMs = this.#parts.clock.now();
    this.#known.set(uid, { pod, seenAtMs, waits, starts: false, rejected: false, ended: new Set() });
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
    if (!(known.waits || known.starts) || (status.phase ?? 'Pending') === 'Pending') return;
    const nowMs = this.#parts.clock.now();
    const { firstMs, hasAll, initMs } = readStartTimes(status);
    if (known.waits) {
      known.waits = false;
      // Found running after a restart of the agent: an earlier agent started it.
      if (firstMs === undefined || firstMs < this.#parts.startedAtMs) return;
      known.starts = true;
      this.#starts.seen(nowMs - known.seenAtMs);
    }
    if (!hasAll) return;
    known.starts = false;
    const { creationTimestamp } = known.pod.metadata;
    if (creationTimestamp === undefined || isStatic(known.pod)) return;
    const totalMs = nowMs - Date.parse(creationTimestamp);
    this.#starts.total(totalMs);
    if (isComparableStart(known.pod))
      this.#starts.comparable(known.pod, Math.max(0, totalMs - pullMs(uid) - initMs));
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
}
