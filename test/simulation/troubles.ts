/**
 * Everything that goes wrong in a simulated world, and whom it excuses for
 * how long. A pod no trouble touches has to settle in time, whatever happens
 * to others: that is how "one hung call never delays another pod" is checked.
 */
import type { AgentErrorCode } from '../../src/base/errors.ts';
import { containersOf } from '../../src/core/model/pod-containers.ts';
import type { FaultHandle, FaultRule, RuntimeCall, RuntimeOperation } from '../fakes/runtime-faults.ts';
import type { PodModel } from './pod-model.ts';
import type { World } from './world.ts';

/** A failed step is tried again after 10 to 15 seconds; a few may fail in a row. */
const RETRIES_MS = 60_000;
/** The longest back-off of a pull, and a little. */
const PULL_BACK_OFF_MS = 330_000;
/** The slow relist, and what follows from it. */
const RELIST_MS = 90_000;

interface ActiveFault {
  /** Undefined when it concerns the node as a whole. */
  readonly model: PodModel | undefined;
  readonly rule: FaultRule;
  readonly handle: FaultHandle;
  seen: number;
}

export class Troubles {
  readonly #world: World;
  #active: ActiveFault[] = [];
  networkReady = true;
  #diskFullUntilMs = 0;
  #apiAwayUntilMs = 0;
  #probesBrokenUntilMs = 0;
  #registryShutUntilMs = 0;

  constructor(world: World) {
    this.#world = world;
  }

  hang(model: PodModel, op: RuntimeOperation): void {
    this.#add(model, { op, hang: true, times: 1 });
  }

  fail(
    model: PodModel,
    op: RuntimeOperation,
    error: AgentErrorCode,
    times: number,
    afterEffect: boolean,
  ): void {
    this.#add(model, { op, error, times, afterEffect });
  }

  slow(model: PodModel, latencyMs: number, times: number): void {
    // Probes have a time-out of their own: slow ones fail, and a restart would be right.
    this.#add(model, { latencyMs, times, when: ({ op }) => op !== 'execSync' });
  }

  /** The next call of this kind that is about no pod in particular fails or hangs. */
  spoilReads(op: RuntimeOperation, hang: boolean): void {
    const when = ({ podUid }: RuntimeCall): boolean => podUid === undefined;
    this.#add(undefined, { op, when, times: 1, ...(hang ? { hang } : { error: 'unavailable' }) });
  }

  /** Ends the fault that is longest in force. */
  releaseOldest(): void {
    const fault = this.#active.shift();
    if (fault === undefined) return;
    fault.handle.release();
    this.#disturbBy(fault, RELIST_MS);
  }

  loseEvents(chance: number): void {
    this.#world.runtime.faults.lostEventChance = chance;
    this.disturbAll(RELIST_MS);
  }

  finishAborted(chance: number): void {
    this.#world.runtime.faults.abortedEffectChance = chance;
  }

  outage(downMs: number): void {
    this.#world.runtime.restartRuntime(downMs);
    this.disturbAll(downMs + RETRIES_MS);
  }

  setNetwork(ready: boolean): void {
    this.networkReady = ready;
    this.#world.runtime.networkReady = ready;
    this.disturbAll(RETRIES_MS);
  }

  /** The disk refuses writes of the agent, and mounts; an unmount fails once. */
  fillDisk(forMs: number): void {
    const { files, mounter, clock } = this.#world;
    const faults = [files.faults.add({ errno: 'ENOSPC' }), mounter.faults.add({ errno: 'ENOSPC' })];
    mounter.faults.add({ errno: 'EIO', op: 'unmount', times: 1 });
    this.#diskFullUntilMs = Math.max(this.#diskFullUntilMs, clock.now() + forMs);
    clock.startTimer(forMs, () => faults.forEach((fault) => void fault[Symbol.dispose]()));
  }

  /** The last time a write may have failed. */
  get diskTroubleAtMs(): number {
    return Math.min(this.#world.nowMs, this.#diskFullUntilMs);
  }

  /** Writes of checkpoints and cgroups fail. */
  spoilCheckpoints(forMs: number): void {
    const { checkpoints, cgroups, clock } = this.#world;
    const faults = [checkpoints, cgroups].map((store) => store.faults.add({ errno: 'ENOSPC' }));
    this.#diskFullUntilMs = Math.max(this.#diskFullUntilMs, clock.now() + forMs);
    clock.startTimer(forMs, () => faults.forEach((fault) => void fault[Symbol.dispose]()));
  }

  /** Nothing gets through between the agent and its containers. */
  get isNetworkBroken(): boolean {
    return this.#world.nowMs < this.#probesBrokenUntilMs;
  }

  breakProbes(forMs: number): void {
    this.#probesBrokenUntilMs = Math.max(this.#probesBrokenUntilMs, this.#world.nowMs + forMs);
    this.disturbAll(forMs + RETRIES_MS);
  }

  get isApiAway(): boolean {
    return this.#world.nowMs < this.#apiAwayUntilMs;
  }

  /** The API server sends nothing; what it sent before stays true for the agent. */
  cutApiServer(forMs: number): void {
    this.#apiAwayUntilMs = Math.max(this.#apiAwayUntilMs, this.#world.nowMs + forMs);
    this.#world.clock.startTimer(forMs, () => this.#endApiOutage());
  }

  /** No image can be pulled. */
  shutRegistry(forMs: number): void {
    const rule: FaultRule = { op: 'pullImage', error: 'unavailable' };
    const handle = this.#world.runtime.faults.add(rule);
    this.#registryShutUntilMs = Math.max(this.#registryShutUntilMs, this.#world.nowMs + forMs);
    this.#world.clock.startTimer(forMs, () => handle.release());
  }

  #endApiOutage(): void {
    if (this.isApiAway) return;
    for (const model of this.#world.pods.values())
      if (model.source === 'api' || !model.wanted) model.disturb(this.#world.nowMs, RETRIES_MS);
    this.#world.deliver();
  }

  disturbAll(ms: number): void {
    for (const model of this.#world.pods.values()) this.#disturb(model, ms);
  }

  /** Takes note of what hit since the last look. */
  look(): void {
    const { runtime, nowMs } = this.#world;
    const { lostEventChance, down } = runtime.faults;
    if (this.isApiAway)
      for (const model of this.#world.pods.values())
        if (model.source === 'api' || !model.wanted) model.disturb(nowMs, RETRIES_MS);
    if (this.isNetworkBroken) this.disturbAll(RETRIES_MS);
    if (nowMs <= this.#registryShutUntilMs)
      for (const model of this.#world.pods.values()) model.disturb(nowMs, PULL_BACK_OFF_MS);
    if (lostEventChance > 0 || down || !this.networkReady || nowMs <= this.#diskFullUntilMs)
      for (const model of this.#world.pods.values()) model.disturb(nowMs, RELIST_MS);
    if (this.#active.length === 0) return;
    for (const fault of this.#active) {
      const holds = fault.rule.hang === true && fault.handle.hits > 0;
      if (fault.handle.hits > fault.seen || holds) {
        const isPull = fault.rule.op === 'pullImage' || fault.rule.op === undefined;
        this.#disturbBy(fault, isPull ? PULL_BACK_OFF_MS : RELIST_MS);
      }
      fault.seen = fault.handle.hits;
    }
    this.#active = this.#active.filter(({ rule, handle }) => rule.hang || handle.hits < (rule.times ?? 1));
  }

  /** Nothing goes wrong any more. */
  cease(): void {
    const { runtime, files, mounter, checkpoints, cgroups } = this.#world;
    this.look();
    while (this.#active.length > 0) this.releaseOldest();
    runtime.faults.clear();
    files.faults.clear();
    mounter.faults.clear();
    checkpoints.faults.clear();
    cgroups.faults.clear();
    this.#probesBrokenUntilMs = 0;
    this.#world.pressure.cease();
    if (this.isApiAway) {
      this.#apiAwayUntilMs = this.#world.nowMs;
      this.#endApiOutage();
    }
    this.setNetwork(true);
    this.disturbAll(RELIST_MS);
  }

  #disturbBy({ model }: ActiveFault, ms: number): void {
    if (model === undefined) this.disturbAll(ms);
    else model.disturb(this.#world.nowMs, ms);
  }

  #add(model: PodModel | undefined, rule: FaultRule): void {
    const handle = this.#world.runtime.faults.add(
      model === undefined ? rule : { ...rule, podUid: model.uid },
    );
    this.#active.push({ model, rule, handle, seen: 0 });
  }

  /** A pull that fails in a general trouble waits longer than any other step. */
  #disturb(model: PodModel, ms: number): void {
    const { runtime, nowMs } = this.#world;
    const pulls = containersOf(model.pod).some(
      ({ image }) => runtime.imageStore.find(image ?? '') === undefined,
    );
    model.disturb(nowMs, pulls ? Math.max(ms, PULL_BACK_OFF_MS) : ms);
  }
}
