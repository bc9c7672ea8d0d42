/** How many pods there are of each kind and phase, from the shared stores. */

import { Gauge, type MetricRegistry } from '../../../base/metric-registry.ts';
import { isStatic } from '../../../core/api/pod-identity.ts';
import type { DesiredPod } from '../../../core/model/desired-pod.ts';
import type { PodUid } from '../../../core/model/ids.ts';
import type { FollowedStores } from './pod-metrics.ts';

/** Counts at every scrape. */
export function addPodGauges(
  registry: MetricRegistry,
  { records, published }: Pick<FollowedStores, 'records' | 'published'>,
): void {
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

const LIFECYCLES = ['sync', 'terminated', 'terminating'] as const;

/** A pod that its source has taken away is an orphan: only its end is still to do. */
function toConfig({ source, pod, termination }: DesiredPod): { config: string; static: string } {
  if (source === 'runtime') return { config: 'runtime_only', static: 'unknown' };
  const isOrphan = termination?.cause === 'removed' || termination?.cause === 'orphaned';
  return { config: isOrphan ? 'orphan' : 'desired', static: isStatic(pod) ? 'true' : '' };
}
