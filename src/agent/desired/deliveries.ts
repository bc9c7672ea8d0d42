/**
 * What each source has delivered last, and what a delivery changes: whole sets
 * are compared with the one before, changes are taken as they are said.
 */
import type { Pod } from '../../core/api/pod.ts';
import { type PodUid, parsePodUid } from '../../core/model/ids.ts';
import type { PodSourceName } from '../../core/model/pod-source-name.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { PodChanges } from '../../ports/pod-source.ts';
import { acceptDelivery } from './accept-delivery.ts';

export interface Delivery {
  /** Those to look at. */
  readonly wanted: ReadonlyMap<PodUid, Pod>;
  /** The pods as they were delivered before. One that is missing here, or another object, counts as changed. */
  readonly before: ReadonlyMap<PodUid, Pod>;
  readonly gone: readonly PodUid[];
}

const NOTHING: ReadonlyMap<PodUid, Pod> = new Map();

export class Deliveries {
  readonly #events: EventRecorder;
  readonly #bySource = new Map<PodSourceName, Map<PodUid, Pod>>();

  constructor(events: EventRecorder) {
    this.#events = events;
  }

  get(source: PodSourceName, uid: PodUid): Pod | undefined {
    return this.#bySource.get(source)?.get(uid);
  }

  /** The sources that have the pod. */
  sourcesOf(uid: PodUid): (readonly [PodSourceName, Pod])[] {
    return [...this.#bySource].flatMap(([source, pods]) => {
      const pod = pods.get(uid);
      return pod === undefined ? [] : [[source, pod] as const];
    });
  }

  take(source: PodSourceName, pods: readonly Pod[] | PodChanges): Delivery {
    return 'gone' in pods ? this.#takeChanges(source, pods) : this.#takeAll(source, pods);
  }

  #takeAll(source: PodSourceName, pods: readonly Pod[]): Delivery {
    const wanted = acceptDelivery(this.#events, source, pods);
    const before = this.#bySource.get(source) ?? NOTHING;
    this.#bySource.set(source, wanted);
    return { wanted, before, gone: [...before.keys()].filter((uid) => !wanted.has(uid)) };
  }

  /** The others are not looked at. */
  #takeChanges(source: PodSourceName, changes: PodChanges): Delivery {
    const pods = this.#bySource.get(source) ?? new Map<PodUid, Pod>();
    this.#bySource.set(source, pods);
    const left = changes.gone.flatMap(({ metadata }) => parsePodUid(metadata.uid) ?? []);
    const gone = left.filter((uid) => pods.delete(uid));
    const wanted = acceptDelivery(this.#events, source, changes.changed);
    for (const [uid, pod] of wanted) pods.set(uid, pod);
    return { wanted, before: NOTHING, gone };
  }
}
