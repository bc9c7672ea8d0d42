/**
 * The laws about a node that is short of something: nothing is evicted
 * without need, one pod at a time, never a critical one; what was evicted
 * stays so; conditions end; an image that is in use is not deleted.
 */
import type { PodStatus } from '../../src/core/api/pod-status.ts';
import type { DesiredPod } from '../../src/core/model/desired-pod.ts';
import type { AgentProcess } from './agent-process.ts';
import type { World } from './world.ts';

/** Between a reading and the eviction that follows from it: reads of the runtime, at their slowest. */
const DECISION_MS = 60_000;
/** Until the API server sends what was written to it. */
const ANSWER_MS = 50;
/** An evicted pod is waited for so long before the next may go. */
const END_WAIT_MS = 30_000;

export class PressureLaws {
  readonly #world: World;
  /** Evictions of the present life of the agent, by pod. */
  readonly #evicted = new Map<string, number>();
  #life = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** The record of a pod has changed. */
  onRecord({ uid, source, termination }: DesiredPod, isKnown: (uid: string) => boolean): void {
    const { lives, nowMs, pressure, pods } = this.#world;
    if (this.#life !== lives) this.#evicted.clear();
    this.#life = lives;
    if (termination?.cause !== 'evicted' || this.#evicted.has(uid)) return;
    if (source !== 'api') this.#fail('critical pods are not evicted', `pod ${uid} of ${source}`);
    if (pressure.lastMs < nowMs - DECISION_MS)
      this.#fail('no pod is evicted without need', `pod ${uid}, the last shortage was at ${pressure.lastMs}`);
    const other = [...this.#evicted].find(([one, atMs]) => isKnown(one) && nowMs - atMs < END_WAIT_MS);
    if (other !== undefined)
      this.#fail('one pod is evicted at a time', `pod ${uid} while ${other[0]} still ends`);
    this.#evicted.set(uid, nowMs);
    const model = pods.get(uid);
    if (model === undefined) return;
    model.ending = true;
    model.evicted = true;
    model.disturb(nowMs, END_WAIT_MS);
  }

  /** While the API server listens it has the last status of a pod from then on, whatever is left of its containers. */
  onPublished(uid: string, { phase, reason, message }: PodStatus): void {
    const { pods, pressure, troubles, clock } = this.#world;
    const model = pods.get(uid);
    if (!pressure.isWatched || model === undefined || (phase !== 'Succeeded' && phase !== 'Failed')) return;
    // One that was removed and came back under its UID owes nothing to the end of the one before.
    if (model.ending && !model.evicted) return;
    model.finished = true;
    if (model.source !== 'api' || troubles.isApiAway || model.pod.status !== undefined) return;
    model.pod = { ...model.pod, status: { phase, reason, message } as PodStatus };
    clock.startTimer(ANSWER_MS, () => this.#world.deliver());
  }

  /** A living agent is about to start something of a pod. */
  onStart(process: AgentProcess, uid: string, who: string): void {
    const record = [...(process.agent?.desired.records.values() ?? [])].find((one) => one.uid === uid);
    if (record?.pod.status?.phase !== undefined) this.#fail('an evicted or ended pod stays so', who);
  }

  onRemoveImage(image: string): void {
    const { runtime } = this.#world;
    const id = runtime.imageStore.find(image)?.id;
    const user = [...runtime.machine.containers.values()].find(
      ({ imageId, state }) => state === 'running' && imageId === id,
    );
    if (id !== undefined && user !== undefined)
      this.#fail(
        'an image in use is not deleted',
        `${image}, ${user.config.name} of pod ${user.podUid} runs`,
      );
  }

  #fail(invariant: string, detail: string): void {
    this.#world.invariants.fail(invariant, detail);
  }
}
