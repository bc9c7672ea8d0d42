/**
 * What the processes of each cgroup have open. For each descriptor the kernel
 * has to be asked, so a count serves for as long as upstream's, which looks
 * every 10 to 15 seconds; and longer while nothing can have changed: the same
 * processes, and no CPU time used since.
 */
import type { TaskDetails } from '../../../core/stats/cgroup-details.ts';

const MAX_AGE_MS = 15_000;
/** What was not asked for as long is of a cgroup that has gone. */
const FORGET_MS = 60_000;

export type Descriptors = Pick<TaskDetails, 'descriptors' | 'sockets'>;

/** What was seen of a cgroup at one moment. */
export interface CgroupMoment {
  readonly atMs: number;
  /** The text of `cgroup.procs`. */
  readonly processes: string;
  /** CPU time so far; undefined when it is not known. */
  readonly usageNs: number | undefined;
}

interface Remembered {
  readonly counted: CgroupMoment;
  readonly descriptors: Descriptors;
  askedAtMs: number;
}

export class DescriptorMemory {
  readonly #known = new Map<string, Remembered>();

  /** Those of the cgroup; calls `count` when the ones that are known may no longer be right. */
  read(path: string, now: CgroupMoment, count: () => Descriptors): Descriptors {
    const known = this.#known.get(path);
    if (known !== undefined && isCurrent(known.counted, now)) {
      known.askedAtMs = now.atMs;
      return known.descriptors;
    }
    const descriptors = count();
    this.#known.set(path, { counted: now, descriptors, askedAtMs: now.atMs });
    return descriptors;
  }

  /** Those of cgroups that are no longer asked for. */
  forgetOld(nowMs: number): void {
    for (const [path, { askedAtMs }] of this.#known)
      if (Math.abs(nowMs - askedAtMs) > FORGET_MS) this.#known.delete(path);
  }
}

function isCurrent(counted: CgroupMoment, { atMs, processes, usageNs }: CgroupMoment): boolean {
  const ageMs = atMs - counted.atMs;
  if (ageMs >= 0 && ageMs < MAX_AGE_MS) return true;
  return counted.processes === processes && usageNs !== undefined && counted.usageNs === usageNs;
}
