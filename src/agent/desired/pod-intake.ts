/**
 * Runs the sources of pods and hands what they deliver to the desired pods.
 * A mirror is the API server's copy of a static pod: it is never run, only
 * kept current, so mirrors are set apart for the part that does that.
 */
import { Emitter } from '../../base/async/emitter.ts';
import type { Pod } from '../../core/api/pod.ts';
import { isMirror } from '../../core/api/pod-identity.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { PodSource } from '../../ports/pod-source.ts';
import type { DesiredPods } from './desired-pods.ts';

export class PodIntake {
  readonly name = 'pod intake';
  readonly #sources: readonly PodSource[];
  readonly #desired: Pick<DesiredPods, 'deliver'>;
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
        source.run(stop, (pods, complete) => this.#deliver(source.name, pods, complete)),
      ),
    );
  }

  #deliver(source: PodSource['name'], pods: readonly Pod[], complete: boolean | undefined): void {
    const mirrors = source === 'api' ? pods.filter(isMirror) : [];
    const wanted = mirrors.length === 0 ? pods : pods.filter((pod) => !isMirror(pod));
    const news = this.#desired.deliver(source, wanted, complete);
    // What is not the API server's own word says nothing about mirrors.
    if (source === 'api' && complete !== false) this.#delivered.emit(mirrors, news);
  }
}
