/** Passes and actions of a pod as spans, with upstream's names for what a pass does. */
import { podRef } from '../../core/api/pod-identity.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { PodUid } from '../../core/model/ids.ts';
import { inSpan, type SpanStart, type Tracer } from '../../ports/tracer.ts';
import { describeAction } from './describe-action.ts';
import type { PerformAction } from './perform-action.ts';
import type { PassSetback } from './pod-activity.ts';

const SCOPE = 'k8s.io/kubernetes/pkg/kubelet';

interface TracedParts {
  readonly kit: { readonly tracer?: Tracer | undefined };
  readonly readDesired: (uid: PodUid) => DesiredPod | undefined;
}

interface TracedWorker {
  readonly uid: PodUid;
  readonly setback: PassSetback | undefined;
  readonly last: { readonly plan: { readonly gone?: boolean } } | undefined;
}

/** A pass that found nothing left to stop is upstream's last one of a pod. */
export function tracePass<T>(
  { kit, readDesired }: TracedParts,
  worker: TracedWorker,
  pass: () => Promise<T>,
): Promise<T> {
  if (kit.tracer === undefined) return pass();
  const start = (): SpanStart => toStart(worker.uid, readDesired(worker.uid));
  return inSpan(kit.tracer, start, async (span) => {
    const result = await pass();
    if (worker.last?.plan.gone === true) span.rename('syncTerminatedPod');
    if (worker.setback !== undefined) span.fail(worker.setback.message);
    return result;
  });
}

function toStart(uid: PodUid, record: DesiredPod | undefined): SpanStart {
  const name = record?.termination === undefined ? 'syncPod' : 'syncTerminatingPod';
  const { name: podName, namespace } = record?.pod.metadata ?? {};
  const pod = record === undefined ? undefined : podRef(record.pod);
  return {
    name,
    scope: SCOPE,
    attributes: {
      'k8s.pod.uid': uid,
      'k8s.pod': pod,
      'k8s.pod.name': podName,
      'k8s.namespace.name': namespace,
    },
  };
}

/** Each step of a pass below it. */
export function traceActions(tracer: Tracer | undefined, perform: PerformAction): PerformAction {
  if (tracer === undefined) return perform;
  return (action, context) =>
    inSpan(
      tracer,
      () => ({ name: action.kind, scope: SCOPE, attributes: { 'k8s.pod.action': describeAction(action) } }),
      async (span) => {
        const result = await perform(action, context);
        if (result.kind === 'failed') span.fail(`${result.reason}: ${result.message}`);
        return result;
      },
    );
}
