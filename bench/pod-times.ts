/** When an API watcher first saw what happened to pods, in milliseconds since the epoch. */
import type { Pod } from '../src/core/api/pod.ts';
import { type Cluster, isReady } from '../test/cluster/live/cluster.ts';
import { PodWatch } from '../test/cluster/live/pod-watch.ts';

export type Mark = 'ready' | 'ended' | 'gone';

const DEADLINE_MS = 600_000;

/** The wall clock, with fractions. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

const hasEnded = ({ status }: Pod): boolean =>
  status?.containerStatuses?.some(({ state }) => state?.terminated !== undefined) === true;

export class PodTimes implements AsyncDisposable {
  readonly #watch: PodWatch;
  readonly #times = new Map<string, number>();
  readonly #waiting = new Map<string, PromiseWithResolvers<number>>();

  constructor(cluster: Cluster, namespace: string) {
    this.#watch = new PodWatch(cluster, namespace, (pod, isGone) => this.#take(pod, isGone));
  }

  /** One line for each pod that lost Ready, restarted or changed its container. */
  get changes(): readonly string[] {
    return this.#watch.changes;
  }

  /** When it was first so, now or later. Rejects when that takes longer than any benchmark does. */
  async until(names: readonly string[], mark: Mark): Promise<readonly number[]> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error(`not all pods are ${mark}`)), DEADLINE_MS);
    const all = Promise.all(
      names.map((name) => this.#times.get(`${name} ${mark}`) ?? this.#wait(`${name} ${mark}`)),
    );
    return await Promise.race([all, late.promise]).finally(() => clearTimeout(timer));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watch[Symbol.asyncDispose]();
  }

  #wait(key: string): Promise<number> {
    const waiting = this.#waiting.get(key) ?? Promise.withResolvers<number>();
    this.#waiting.set(key, waiting);
    return waiting.promise;
  }

  #take(pod: Pod, isGone: boolean): void {
    const { name } = pod.metadata;
    if (isReady(pod)) this.#note(name, 'ready');
    if (hasEnded(pod)) this.#note(name, 'ended');
    if (isGone) this.#note(name, 'gone');
  }

  #note(name: string, mark: Mark): void {
    const key = `${name} ${mark}`;
    if (this.#times.has(key)) return;
    const atMs = nowMs();
    this.#times.set(key, atMs);
    this.#waiting.get(key)?.resolve(atMs);
    this.#waiting.delete(key);
  }
}
