/**
 * CPU and memory of the node and its pods over the last quarter of an hour, at
 * the moments when a caller had them read: nothing is sampled for this. Kept in
 * rings of numbers; a pod costs less than a kilobyte, and one that has no point
 * left is forgotten.
 */
import type { Summary } from '../../core/stats/summary.ts';
import { type TopHistory, type TopUsage, toTopUsage, type UsagePast } from '../../core/stats/top.ts';

const KEPT_MS = 15 * 60_000;
/** Readings that follow each other faster add nothing that can be seen. */
const STEP_MS = 10_000;
const POINTS = KEPT_MS / STEP_MS;
const NODE = '';

interface Ring {
  readonly cpu: Float32Array;
  readonly memory: Float32Array;
  lastAtMs: number;
}

export class UsageHistory {
  readonly #times = new Float64Array(POINTS);
  readonly #rings = new Map<string, Ring>();
  /** How many points were ever taken. */
  #count = 0;

  note({ node, pods }: Summary, atMs: number): void {
    const last = this.#count === 0 ? Number.NEGATIVE_INFINITY : this.#timeOf(this.#count - 1);
    // A clock that was set back begins again.
    if (atMs < last) this.#clear();
    else if (atMs - last < STEP_MS) return;
    const at = this.#count % POINTS;
    for (const { cpu, memory } of this.#rings.values()) {
      cpu[at] = Number.NaN;
      memory[at] = Number.NaN;
    }
    this.#times[at] = atMs;
    this.#count++;
    this.#put(NODE, toTopUsage(node), at, atMs);
    for (const pod of pods) this.#put(pod.podRef.uid, toTopUsage(pod), at, atMs);
    for (const [uid, { lastAtMs }] of this.#rings) if (atMs - lastAtMs > KEPT_MS) this.#rings.delete(uid);
  }

  /** No older than a quarter of an hour before `nowMs`. */
  read(nowMs: number): UsagePast {
    const kept: number[] = [];
    for (let index = Math.max(0, this.#count - POINTS); index < this.#count; index++) {
      const ageMs = nowMs - this.#timeOf(index);
      if (ageMs >= 0 && ageMs <= KEPT_MS) kept.push(index);
    }
    const valuesOf = (ring: Float32Array | undefined): (number | null)[] =>
      kept.map((index) => toValue(ring?.[index % POINTS]));
    const of = (uid = NODE): TopHistory => {
      const ring = this.#rings.get(uid);
      return { cpuNanoCores: valuesOf(ring?.cpu), memoryBytes: valuesOf(ring?.memory) };
    };
    return { atMs: kept.map((index) => this.#timeOf(index)), of };
  }

  #put(uid: string, { cpuNanoCores, memoryBytes }: TopUsage, at: number, atMs: number): void {
    const ring = this.#rings.get(uid) ?? createRing();
    ring.cpu[at] = cpuNanoCores ?? Number.NaN;
    ring.memory[at] = memoryBytes ?? Number.NaN;
    ring.lastAtMs = atMs;
    this.#rings.set(uid, ring);
  }

  #timeOf(index: number): number {
    return this.#times[index % POINTS] ?? 0;
  }

  #clear(): void {
    this.#rings.clear();
    this.#count = 0;
  }
}

function createRing(): Ring {
  const empty = (): Float32Array => new Float32Array(POINTS).fill(Number.NaN);
  return { cpu: empty(), memory: empty(), lastAtMs: 0 };
}

function toValue(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : Math.round(value);
}
