/**
 * An API watcher that records what changes of the pods of a namespace: which
 * lost Ready, which restarted, when each became ready for the first time. It
 * survives an API server that goes away; what it misses then is read from the
 * times in the conditions.
 */
import type { Pod } from '../../../src/core/api/pod.ts';
import { PODS } from '../../../src/ports/cluster/api-resource.ts';
import { type Cluster, conditionOf, isReady, waitFor } from './cluster.ts';

/** What of a pod must not change while nothing happens to it. */
export interface PodMark {
  readonly ready: string;
  readonly readySince: string | undefined;
  readonly containers: string;
}

/** Each state of a pod as it is seen; `isGone` with the last of them. */
export type PodListener = (pod: Pod, isGone: boolean) => void;

export class PodWatch implements AsyncDisposable {
  readonly #listener: PodListener | undefined;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #pods = new Map<string, Pod>();
  readonly #readyAtMs = new Map<string, number>();
  /** One line for each change of a mark. */
  readonly changes: string[] = [];

  constructor({ api }: Cluster, namespace: string, listener?: PodListener) {
    this.#listener = listener;
    const watch = api.follow<Pod>({ resource: PODS, namespace });
    this.#running = watch.run(this.#stop.signal, {
      onReplace: (pods) => {
        for (const pod of pods) this.#take(pod);
      },
      onEvent: (type, pod) => {
        if (type !== 'DELETED') return this.#take(pod);
        this.#pods.delete(pod.metadata.name);
        this.#listener?.(pod, true);
      },
    });
  }

  /** When this watcher first saw the pod ready, by `performance.now()`. */
  readyAtMs(name: string): number | undefined {
    return this.#readyAtMs.get(name);
  }

  waitForReady(name: string, timeoutMs = 60_000): Promise<number> {
    return waitFor(`pod "${name}" to be ready`, () => this.readyAtMs(name), timeoutMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #take(pod: Pod): void {
    this.#listener?.(pod, false);
    const { name } = pod.metadata;
    const before = this.#pods.get(name);
    this.#pods.set(name, pod);
    if (isReady(pod) && !this.#readyAtMs.has(name)) this.#readyAtMs.set(name, performance.now());
    if (before === undefined || pod.metadata.deletionTimestamp !== undefined) return;
    const [was, is] = [toMark(before), toMark(pod)].map((mark) => JSON.stringify(mark));
    if (was !== is) this.changes.push(`${name}: ${was} became ${is}`);
  }
}

export function toMark(pod: Pod): PodMark {
  const ready = conditionOf(pod, 'Ready');
  const containers = (pod.status?.containerStatuses ?? []).map(
    ({ containerID, restartCount }) => `${containerID} restarted ${restartCount} times`,
  );
  return {
    ready: ready?.status ?? 'Unknown',
    readySince: ready?.lastTransitionTime ?? undefined,
    containers: containers.join(', '),
  };
}

/** The marks of pods by name. */
export function toMarks(pods: readonly Pod[]): Record<string, PodMark> {
  return Object.fromEntries(pods.map((pod) => [pod.metadata.name, toMark(pod)]));
}
