/** Which running instances an operator wants restarted. A request ends with its instance. */
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { ContainerId, PodUid } from '../../core/model/ids.ts';
import type { ObservedPod } from '../../core/model/observed-pod.ts';

export class RestartRequests {
  readonly name = 'restart requests';
  readonly #asked = new Map<PodUid, ReadonlySet<ContainerId>>();

  ask(uid: PodUid, ids: readonly ContainerId[]): void {
    this.#asked.set(uid, new Set([...(this.#asked.get(uid) ?? []), ...ids]));
  }

  /** Those that still run; undefined is none. */
  facts(
    { uid }: Pick<DesiredPod, 'uid'>,
    { containers }: Pick<ObservedPod, 'containers'>,
  ): ReadonlySet<ContainerId> | undefined {
    const asked = this.#asked.get(uid);
    if (asked === undefined) return undefined;
    const running = containers.filter(({ id, state }) => state === 'running' && asked.has(id));
    if (running.length === 0) this.#asked.delete(uid);
    return new Set(running.map(({ id }) => id));
  }

  podGone({ uid }: Pick<DesiredPod, 'uid'>): void {
    this.#asked.delete(uid);
  }
}
