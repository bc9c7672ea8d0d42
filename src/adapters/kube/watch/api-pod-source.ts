/**
 * The pods that the API server gives this node. Each change delivers the whole
 * set and says what has changed; changes that come in one go are delivered once.
 *
 * Invariant: nothing is delivered before the first list, so an unreachable API
 * server never looks like an empty node.
 */
import type { Clock } from '../../../base/async/clock.ts';
import type { Pod } from '../../../core/api/pod.ts';
import { PODS } from '../../../ports/cluster/api-resource.ts';
import type { ApiServer } from '../../../ports/cluster/api-server.ts';
import type { ListWatch, ListWatchHealth } from '../../../ports/cluster/list-watch.ts';
import type { DeliverPods, PodChanges, PodSource } from '../../../ports/pod-source.ts';

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

  async run(stop: AbortSignal, deliver: DeliverPods): Promise<void> {
    await this.#settings.startAfter?.(stop);
    if (stop.aborted) return;
    const store = new Map<string, Pod>();
    /** Since the last delivery, as they were then; undefined when all may have changed. */
    let touched: Map<string, Pod | undefined> | undefined;
    let planned: Disposable | undefined;
    const deliverSoon = (): void => {
      planned ??= this.#settings.clock.startTimer(0, () => {
        planned = undefined;
        const changes = touched && toChanges(touched, store);
        touched = new Map();
        deliver([...store.values()], true, changes);
      });
    };
    try {
      await this.#pods.run(stop, {
        onReplace: (pods) => {
          store.clear();
          touched = undefined;
          // The items of a list do not say what they are; those of a watch do.
          for (const pod of pods) store.set(keyOf(pod), { ...pod, apiVersion: 'v1', kind: 'Pod' });
          deliverSoon();
        },
        onEvent: (type, pod) => {
          const key = keyOf(pod);
          if (touched?.has(key) === false) touched.set(key, store.get(key));
          if (type === 'DELETED') store.delete(key);
          else store.set(key, pod);
          deliverSoon();
        },
      });
    } finally {
      planned?.[Symbol.dispose]();
    }
  }
}

function toChanges(
  touched: ReadonlyMap<string, Pod | undefined>,
  store: ReadonlyMap<string, Pod>,
): PodChanges {
  const changed: Pod[] = [];
  const gone: Pod[] = [];
  for (const [key, before] of touched) {
    const now = store.get(key);
    if (now !== undefined) changed.push(now);
    // Another one of the name may have come meanwhile.
    if (before !== undefined && now?.metadata.uid !== before.metadata.uid) gone.push(before);
  }
  return { changed, gone };
}

function keyOf({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}
