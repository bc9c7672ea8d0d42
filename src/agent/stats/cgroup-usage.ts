/**
 * Reads cgroups and remembers the last sample of each, for the rate between
 * two. What a whole reading did not meet is forgotten with it.
 */
import { advanceCpu, type CpuHistory } from '../../core/stats/cpu-rate.ts';
import type { CgroupSample } from '../../core/stats/samples.ts';
import { toUsage, type Usage } from '../../core/stats/to-usage.ts';
import type { CgroupStats } from '../../ports/host/stats-reader.ts';

export class CgroupUsage {
  readonly #stats: CgroupStats;
  #histories = new Map<string, CpuHistory>();
  #met = new Map<string, CpuHistory>();

  constructor(stats: CgroupStats) {
    this.#stats = stats;
  }

  /** Undefined when there is no such cgroup. */
  read(path: string): Usage | undefined {
    const sample = this.#stats.readCgroup(path);
    return sample === undefined ? undefined : this.toUsage(path, sample);
  }

  /** Of a sample that was read already. */
  toUsage(path: string, sample: CgroupSample): Usage {
    const { atMs, cpu } = sample;
    if (cpu === undefined) return toUsage(sample, undefined);
    const history = advanceCpu(this.#histories.get(path), { atMs, usageNs: cpu.usageNs });
    this.#met.set(path, history);
    return toUsage(sample, history.rate);
  }

  beginReading(): void {
    this.#met = new Map();
  }

  /** Every cgroup was read once: those that were not met are gone. */
  endReading(): void {
    this.#histories = this.#met;
  }
}
