/**
 * The pods that the API server gives this node. Each change delivers the whole
 * set; changes that come in one go are delivered once.
 *
 * Invariant: nothing is delivered before the first list, so an unreachable API
 * server never looks like an empty node.
 */
import type { Clock } from '../../../base/async/clock.ts';
import type { Pod } from '../../../core/api/pod.ts';
import { PODS } from '../../../ports/cluster/api-resource.ts';
import type { ApiServer } from '../../../ports/cluster/api-server.ts';
import type { ListWatch, ListWatchHealth } from '../../../ports/cluster/list-watch.ts';
import type { PodSource } from '../../../ports/pod-source.ts';

export interface ApiPodSourceSettings {
  readonly api: Pick<ApiServer, 'follow'>;
  readonly nodeName: string;
  readonly clock: Clock;
  /** Waited for before the first list: the Node object must be known first. */
  readonly startAfter?: (stop: AbortSignal) => Promise<void>;
}

export class ApiPodSource implements PodSource {
  readonly name = 'api';
  readonly #settings: ApiPodSourceSettings;
  readonly #pods: ListWatch<Pod>;

  constructor(settings: ApiPodSourceSettings) {
    this.#settings = settings;
    this.#pods = settings.api.follow<Pod>({
      resource: PODS,
      fieldSelector: `spec.nodeName=${settings.nodeName}`,
    });
  }

  health(): ListWatchHealth {
    return this.#pods.health();
  }

  async run(stop: AbortSignal, deliver: (pods: readonly Pod[]) => void): Promise<void> {
    await this.#settings.startAfter?.(stop);
    if (stop.aborted) return;
    const store = new Map<string, Pod>();
    let planned: Disposable | undefined;
    const deliverSoon = (): void => {
      planned ??= this.#settings.clock.startTimer(0, () => {
        planned = undefined;
        deliver([...store.values()]);
      });
    };
    try {
      await this.#pods.run(stop, {
        onReplace: (pods) => {
          store.clear();
          // The items of a list do not say what they are; those of a watch do.
          for (const pod of pods) store.set(keyOf(pod), { ...pod, apiVersion: 'v1', kind: 'Pod' });
          deliverSoon();
        },
        onEvent: (type, pod) => {
          if (type === 'DELETED') store.delete(keyOf(pod));
          else store.set(keyOf(pod), pod);
          deliverSoon();
        },
      });
    } finally {
      planned?.[Symbol.dispose]();
    }
  }
}

function keyOf({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}
