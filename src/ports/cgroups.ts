/**
 * The cgroups of pods, which the runtime puts its containers into. A path is
 * that of the pod's cgroup below the root of the hierarchy, with a leading
 * `/`, as the runtime is told it. The adapter touches nothing outside the
 * cgroup that holds all pods.
 */
export interface PodCgroups {
  /**
   * Creates the cgroup and its missing parents; an existing one is success.
   * Resolves to warnings: a limit or controller the kernel refused, which the
   * pod runs without. Rejects when the cgroup itself cannot be created.
   */
  ensure(path: string): Promise<readonly string[]>;
  /** Removes the cgroup and those below; nothing there is success. Rejects while processes are left in it. */
  remove(path: string): Promise<void>;
  /** True when the cgroup is complete: there for every controller. */
  exists(path: string): Promise<boolean>;
}
