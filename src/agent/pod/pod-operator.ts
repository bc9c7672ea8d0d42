/**
 * What an operator on the node may ask for a pod: end its back-offs now, restart its containers. Both only change what
 * the next pass of the worker reads; the worker stays the only one that acts. Every request is logged.
 */

import type { Logger } from '../../base/log.ts';
import { podRef } from '../../core/api/pod-identity.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { PodUid } from '../../core/model/ids.ts';
import { newestInstance, type ObservedPod } from '../../core/model/observed-pod.ts';
import { allContainersOf, type PodMember, podMembers } from '../../core/model/pod-containers.ts';
import { computeBackOffKey } from '../../core/pod/back-off-key.ts';
import { mayRestart } from '../../core/pod/decide-asked-restarts.ts';
import type { OperatorAnswer } from '../../ports/operator-answer.ts';
import type { DesiredPods } from '../desired/desired-pods.ts';
import type { ImagePuller } from '../image/image-puller.ts';
import type { CrashLoopMemory } from './crash-loop-memory.ts';
import type { PodSupervisor } from './pod-supervisor.ts';
import type { RestartRequests } from './restart-requests.ts';

export interface PodOperatorParts {
  readonly logger: Logger;
  readonly desired: Pick<DesiredPods, 'records'>;
  readonly supervisor: Pick<PodSupervisor, 'worker' | 'retry'>;
  readonly crashLoops: Pick<CrashLoopMemory, 'forget'>;
  readonly puller: Pick<ImagePuller, 'forgetWaits'>;
  readonly requests: Pick<RestartRequests, 'ask'>;
}

export class PodOperator {
  readonly #parts: PodOperatorParts;

  constructor(parts: PodOperatorParts) {
    this.#parts = parts;
  }

  /** Ends every back-off of the pod; `subjects` are the containers, or the step, that waited. */
  retry(uid: PodUid): OperatorAnswer {
    const { desired, supervisor, logger } = this.#parts;
    const record = desired.records.get(uid);
    const refusal = refuse(record);
    if (record === undefined || refusal !== undefined) return refusal ?? GONE;
    const last = supervisor.worker(uid)?.last;
    const step = last?.facts.podFailure?.step.replaceAll('-', ' ');
    const subjects = [...(last?.plan.waiting.keys() ?? []), ...(step === undefined ? [] : [step])];
    this.#endBackOffs(record);
    logger.info('retry requested over the local socket', { pod: podRef(record.pod), podUid: uid });
    supervisor.retry(uid);
    return { ok: true, subjects };
  }

  /** Restarts the container, or all that run. Their back-off begins from the start. */
  restart(uid: PodUid, container: string | undefined): OperatorAnswer {
    const { desired, supervisor, requests, logger } = this.#parts;
    const record = desired.records.get(uid);
    const refusal = refuse(record);
    if (record === undefined || refusal !== undefined) return refusal ?? GONE;
    const observed = supervisor.worker(uid)?.last?.facts.observed;
    const chosen = chooseInstances(record, observed, container);
    if (typeof chosen === 'string') return { ok: false, problem: chosen };
    this.#endBackOffs(record);
    requests.ask(
      uid,
      chosen.map(({ id }) => id),
    );
    const subjects = chosen.map(({ name }) => name);
    const fields = { pod: podRef(record.pod), podUid: uid, containers: subjects.join(', ') };
    logger.info('restart requested over the local socket', fields);
    supervisor.retry(uid);
    return { ok: true, subjects };
  }

  #endBackOffs({ pod, uid }: DesiredPod): void {
    const { crashLoops, puller } = this.#parts;
    for (const container of allContainersOf(pod)) crashLoops.forget(computeBackOffKey(pod, container));
    puller.forgetWaits(uid);
  }
}

const GONE: OperatorAnswer = { ok: false, problem: 'the pod has just gone' };

function refuse(record: DesiredPod | undefined): OperatorAnswer | undefined {
  if (record === undefined) return GONE;
  if (record.termination === undefined) return undefined;
  return { ok: false, problem: `the pod is ending (${record.termination.cause})` };
}

/** The running instances; a text says why there is none. */
function chooseInstances(
  { pod }: DesiredPod,
  observed: ObservedPod | undefined,
  container: string | undefined,
): string | NonNullable<ReturnType<typeof newestInstance>>[] {
  const members = podMembers(pod).filter((member) => isNamed(member, container));
  if (members.length === 0) return `the pod has no container ${JSON.stringify(container)}`;
  const restartable = members.filter((member) => mayRestart(pod, member));
  if (restartable.length === 0)
    return 'its restart policy is not Always, or it is an init container: it might not be started again';
  const instances = restartable.flatMap((member) => {
    const newest = observed === undefined ? undefined : newestInstance(observed, member.container.name);
    return newest?.state === 'running' ? [newest] : [];
  });
  return instances.length > 0
    ? instances
    : 'no container runs that could be restarted: kubelet retry ends a back-off';
}

/** Without a name every main container; sidecars serve them and stay. */
function isNamed({ container, role }: PodMember, named: string | undefined): boolean {
  return named === undefined ? role === 'regular' : container.name === named;
}
