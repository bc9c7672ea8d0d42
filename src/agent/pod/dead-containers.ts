/**
 * Keeps an eye on how many dead containers the node has in all, where it has
 * a bound for that: after each relist it says which are too many. The workers
 * of their pods remove them. When eviction wants the room, all that ended pods
 * have left is too many.
 */
import type { Clock } from '../../base/async/clock.ts';
import type { ContainerId, PodUid } from '../../core/model/ids.ts';
import type { ObservedPod } from '../../core/model/observed-pod.ts';
import {
  type DeadContainerFacts,
  type DeadContainerPolicy,
  findSurplus,
} from '../../core/pod/dead-containers.ts';

export class DeadContainers {
  readonly #clock: Clock;
  readonly #policy: DeadContainerPolicy;
  #surplus: ReadonlySet<ContainerId> = new Set();
  /** To be removed because their room is needed. */
  #reclaimed: ReadonlySet<ContainerId> = new Set();

  constructor(clock: Clock, policy: DeadContainerPolicy) {
    this.#clock = clock;
    this.#policy = policy;
  }

  get facts(): DeadContainerFacts {
    return { policy: this.#policy, surplus: this.#surplus.union(this.#reclaimed) };
  }

  /** From now on these are too many. */
  reclaim(ids: ReadonlySet<ContainerId>): void {
    this.#reclaimed = ids;
  }

  /** Counts again; returns the pods that have too many. */
  review(listed: ReadonlyMap<PodUid, ObservedPod>): PodUid[] {
    if (this.#policy.maxTotal < 0) return [];
    this.#surplus = findSurplus(listed.values(), this.#policy, this.#clock.now());
    const hasSurplus = ({ containers }: ObservedPod): boolean =>
      containers.some(({ id }) => this.#surplus.has(id));
    return [...listed].filter(([, pod]) => hasSurplus(pod)).map(([uid]) => uid);
  }
}
