/**
 * Who hands out one kind of resource to containers when their pod is
 * admitted: exclusive CPUs, memory of NUMA nodes, devices. The assigner
 * (pod-assigner.ts) asks all of them where they could give from, merges the
 * answers, and lets each give from there.
 *
 * Invariants: what was given stays until `release`; a second `allocate` for
 * the same container, as after a restart of the agent, changes nothing.
 */
import type { Later } from '../../base/async/later.ts';
import type { Container, Pod } from '../../core/api/pod.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { AllocationFailure } from '../../core/topology/allocation-failure.ts';
import type { ResourceHints, TopologyHint } from '../../core/topology/topology-hint.ts';

export interface HintProvider {
  /** In a few words, for the log. */
  readonly name: string;
  /** Whether the pod asks for anything of this kind, or has it; others do not wait for those that do. */
  concerns(pod: Pod): boolean;
  /** A promise while something the pod asks for is expected to be there soon; with a limit in time. */
  whenReady?(pod: Pod): Promise<void> | undefined;
  /** From where the container could get what it asks for; undefined when it asks for nothing of this kind. */
  hints(pod: Pod, container: Container): ResourceHints | undefined;
  /** The same for all containers of the pod together. */
  podHints(pod: Pod): ResourceHints | undefined;
  /**
   * Gives the container what it asks for, from near `place`. Called for init
   * containers and sidecars first, then for the main ones. A promise only when
   * something outside has to be asked, with a limit in time; rejects only on a bug.
   */
  allocate(pod: Pod, container: Container, place: TopologyHint): Later<AllocationFailure | undefined>;
  /**
   * Completes what `allocate` began, for all containers of the pod, once it has a place. Other pods do not wait
   * for it. Never rejects; after a failure nothing of this admission is kept.
   */
  settle?(pod: Pod): Later<AllocationFailure | undefined>;
  /** The pods that have something. */
  held(): Iterable<PodUid>;
  /** Takes everything back; without effect for a pod that has nothing. */
  release(uid: PodUid): void;
}
