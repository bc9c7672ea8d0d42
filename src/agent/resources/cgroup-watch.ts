/**
 * Knows of each pod whether it runs outside the cgroup that should hold it.
 * Looked at when the agent finds the pod running, and until it has one; a
 * cgroup that was there once is not looked for again.
 */
import { AgentError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { podRef } from '../../core/api/pod-identity.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { ObservedPod } from '../../core/model/observed-pod.ts';
import { isCgroupMissing, type MissingCgroupParts } from './missing-cgroups.ts';

export interface CgroupWatchParts extends MissingCgroupParts {
  readonly logger: Logger;
}

export class CgroupWatch {
  readonly name = 'cgroup watch';
  readonly #parts: CgroupWatchParts;
  readonly #known = new Map<PodUid, 'there' | 'missing'>();

  constructor(parts: CgroupWatchParts) {
    this.#parts = parts;
  }

  isMissing(uid: PodUid): boolean {
    return this.#known.get(uid) === 'missing';
  }

  /** Looks at the host. What it cannot read changes nothing: nothing is stopped on a guess. */
  async refresh({ uid, pod, source }: DesiredPod, observed: ObservedPod): Promise<void> {
    if (this.#known.get(uid) === 'there' || source === 'runtime') return;
    const runs = observed.containers.some(({ state }) => state === 'running');
    let isMissing = false;
    try {
      isMissing = runs && (await isCgroupMissing(this.#parts, pod));
    } catch (error) {
      if (error instanceof AgentError) return;
      throw error;
    }
    if (isMissing && !this.#known.has(uid))
      this.#parts.logger.warn('pod runs outside its cgroup, making it again', {
        pod: podRef(pod),
        podUid: uid,
      });
    this.#known.set(uid, isMissing ? 'missing' : 'there');
  }

  podGone({ uid }: Pick<DesiredPod, 'uid'>): void {
    this.#known.delete(uid);
  }
}
