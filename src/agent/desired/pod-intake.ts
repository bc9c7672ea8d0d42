/**
 * Runs the sources of pods and hands what they deliver to the desired pods.
 * A mirror is the API server's copy of a static pod: it is never run, only
 * kept current, so mirrors are set apart for the part that does that.
 */
import { Emitter } from '../../base/async/emitter.ts';
import type { Pod } from '../../core/api/pod.ts';
import { isMirror } from '../../core/api/pod-identity.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { PodChanges, PodSource } from '../../ports/pod-source.ts';
import type { DesiredPods } from './desired-pods.ts';

export class PodIntake {
  readonly name = 'pod intake';
  readonly #sources: readonly PodSource[];
  readonly #desired: Pick<DesiredPods, 'deliver'>;
  /** Of the API server, by UID. */
  #mirrors: Map<string, Pod> = new Map();
  readonly #delivered = new Emitter<[mirrors: readonly Pod[], news: readonly PodUid[]]>();

  constructor(sources: readonly PodSource[], desired: Pick<DesiredPods, 'deliver'>) {
    this.#sources = sources;
    this.#desired = desired;
  }

  /**
   * Calls `listener` after each delivery of the API server itself, with all of its mirrors and those of the other
   * pods that are new or have changed; dispose the result to stop.
   */
  onApiDelivery(listener: (mirrors: readonly Pod[], news: readonly PodUid[]) => void): Disposable {
    return this.#delivered.subscribe(listener);
  }

  /** Delivers until `stop` aborts. */
  async run(stop: AbortSignal): Promise<void> {
    await Promise.all(
      this.#sources.map((source) =>
        source.run(stop, (pods, complete, changes) => {
          if (source.name === 'api') this.#deliverFromApi(pods, complete, changes);
          else this.#desired.deliver(source.name, pods, complete);
        }),
      ),
    );
  }

  #deliverFromApi(
    pods: readonly Pod[],
    complete: boolean | undefined,
    changes: PodChanges | undefined,
  ): void {
    const news =
      changes === undefined ? this.#deliverAll(pods, complete) : this.#deliverChanges(changes, complete);
    // What is not the API server's own word says nothing about mirrors.
    if (complete !== false) this.#delivered.emit([...this.#mirrors.values()], news);
  }

  #deliverAll(pods: readonly Pod[], complete: boolean | undefined): readonly PodUid[] {
    this.#mirrors = new Map(pods.filter(isMirror).map((pod) => [pod.metadata.uid, pod]));
    return this.#desired.deliver(
      'api',
      pods.filter((pod) => !isMirror(pod)),
      complete,
    );
  }

  #deliverChanges({ changed, gone }: PodChanges, complete: boolean | undefined): readonly PodUid[] {
    const mirrors = changed.filter(isMirror);
    for (const { metadata } of [...gone, ...changed]) this.#mirrors.delete(metadata.uid);
    for (const pod of mirrors) this.#mirrors.set(pod.metadata.uid, pod);
    const own = changed.filter((pod) => !isMirror(pod));
    // One that has become a mirror is no pod of the API server any more.
    return this.#desired.deliver('api', { changed: own, gone: [...gone, ...mirrors] }, complete);
  }
}
