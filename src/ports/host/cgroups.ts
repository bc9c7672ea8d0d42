/**
 * The agent's own cgroups: the one that holds all pods, the QoS tiers, and
 * those of pods, which the runtime puts its containers into. A path is below
 * the root of the hierarchy, with a leading `/`, as it is passed to the runtime.
 * The adapter creates and removes nothing outside the cgroup of all pods, and
 * writes values besides only to cgroups the configuration names.
 */
import type { CgroupValues } from '../../core/resources/cgroup-values.ts';
import type { CgroupReading } from '../../core/resources/plan-resize.ts';

/** A value the kernel did not take: the cgroup goes on without it. */
export interface CgroupRefusal {
  /** The control file, such as `cpu.max`. */
  readonly control: string;
  readonly message: string;
  /** True when the same write may work later: more memory is in use than the limit, say. */
  readonly retryable: boolean;
}

export interface EnsuredCgroup {
  /** Controllers the kernel refused, which the pod runs without. */
  readonly warnings: readonly string[];
  /** False when the cgroup above had to be made as well: what it held its pods to is lost. */
  readonly hadParent: boolean;
}

export interface PodCgroups {
  /**
   * Creates the cgroup and its missing parents; an existing one is success.
   * Rejects when the cgroup itself cannot be created.
   */
  ensure(path: string): Promise<EnsuredCgroup>;
  /** Writes the values that are given, each by itself. Resolves to those that were refused. */
  apply(path: string, values: CgroupValues): Promise<readonly CgroupRefusal[]>;
  /** What the cgroup has now. Rejects with `not-found` when it is not there. */
  read(path: string): Promise<CgroupReading>;
  /**
   * Removes the cgroup and those below; nothing there is success. Processes
   * left in it are killed. Rejects when some do not go.
   */
  remove(path: string): Promise<void>;
  /** True when the cgroup is complete: there for every controller. */
  exists(path: string): Promise<boolean>;
  /** Paths of the cgroups right below, whichever controller has them; none when there is no such cgroup. */
  children(path: string): Promise<readonly string[]>;
  /** Ids of the processes in the cgroup and below, each once; none when there is no such cgroup. */
  processes(path: string): Promise<readonly number[]>;
}
