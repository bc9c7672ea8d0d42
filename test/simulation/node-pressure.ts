/**
 * What the simulated node is short of, and for how long. Every fourth world has
 * eviction and image collection switched on: the others stay as cheap as they
 * are. The numbers outlive the agent, as those of a machine do.
 */
import type { AgentSettings } from '../../src/agent/agent-ports.ts';
import type { EvictionSettings } from '../../src/agent/eviction/eviction-settings.ts';
import { toThresholds } from '../../src/core/eviction/threshold.ts';
import { FakeStats } from '../fakes/fake-stats.ts';
import { ROOT_DIR } from './node.ts';
import type { World } from './world.ts';

export type Shortage = 'memory' | 'disk';

const MIB = 1024 ** 2;
/** So much that memory is not looked at more often than the rest. */
const CAPACITY_BYTES = 200 * 1024 * MIB;
const PLENTY_BYTES = CAPACITY_BYTES / 2;
const LITTLE_BYTES = 50 * MIB;
/** A condition stays so long after its cause. */
export const TRANSITION_MS = 30_000;
const PLACES = [ROOT_DIR, '/var/lib/fake/images', '/var/lib/fake/containers'];

const COLLECTION = { highPercent: 85, lowPercent: 80, minAgeMs: 0, maxAgeMs: 0, collectsUnpullable: false };
const NEVER_COLLECT = { ...COLLECTION, highPercent: 100 };

export class NodePressure {
  readonly isWatched: boolean;
  readonly #world: World;
  readonly #stats: FakeStats;
  readonly #untilMs = new Map<Shortage, number>();

  constructor(world: World, seed: number) {
    this.#world = world;
    this.isWatched = seed % 4 === 0;
    this.#stats = new FakeStats(world.clock);
    for (const shortage of ['memory', 'disk'] as const) this.#set(shortage, PLENTY_BYTES);
  }

  get settings(): Pick<AgentSettings, 'eviction' | 'imageCollection'> {
    return {
      eviction: this.isWatched ? EVICTION : undefined,
      imageCollection: this.isWatched ? COLLECTION : NEVER_COLLECT,
    };
  }

  ports(): ReturnType<FakeStats['ports']> {
    return this.#stats.ports();
  }

  /** How often the machine, and how often the runtime, was asked for numbers. */
  get readings(): { readonly machine: number; readonly runtime: number } {
    return { machine: this.#stats.readings, runtime: this.#stats.runtimeCalls };
  }

  /** The last moment that something was short; 0 when nothing ever was. */
  get lastMs(): number {
    return Math.min(this.#world.nowMs, Math.max(0, ...this.#untilMs.values()));
  }

  begin(shortage: Shortage, forMs: number): void {
    this.#untilMs.set(shortage, this.#world.nowMs + forMs);
    this.#set(shortage, LITTLE_BYTES);
    this.#world.clock.startTimer(forMs, () => {
      if (this.#world.nowMs >= (this.#untilMs.get(shortage) ?? 0)) this.#set(shortage, PLENTY_BYTES);
    });
  }

  /** Nothing is short any more. */
  cease(): void {
    for (const [shortage, untilMs] of this.#untilMs) {
      if (untilMs > this.#world.nowMs) this.#untilMs.set(shortage, this.#world.nowMs);
      this.#set(shortage, PLENTY_BYTES);
    }
  }

  #set(shortage: Shortage, availableBytes: number): void {
    if (shortage === 'memory') {
      const usageBytes = CAPACITY_BYTES - availableBytes;
      const rest = { inactiveFileBytes: 0, rssBytes: usageBytes, pageFaults: 0, majorPageFaults: 0 };
      const memory = { usageBytes, limitBytes: CAPACITY_BYTES, ...rest };
      this.#stats.cgroups.set('/', { sample: { memory } });
      return;
    }
    const usedBytes = CAPACITY_BYTES - availableBytes;
    const fs = { device: 'd', capacityBytes: CAPACITY_BYTES, availableBytes, usedBytes };
    for (const path of PLACES) this.#stats.fileSystems.set(path, { ...fs, inodes: 1000, inodesFree: 900 });
  }
}

const EVICTION: EvictionSettings = {
  thresholds: toThresholds({
    hard: { 'memory.available': '100Mi', 'nodefs.available': '100Mi', 'imagefs.available': '100Mi' },
    soft: {},
    softGraceMs: {},
    minReclaim: {},
    enforcesPods: false,
  }),
  transitionMs: TRANSITION_MS,
  maxPodGraceSeconds: 0,
  limitsLocalStorage: false,
  sparesPageCache: false,
};
