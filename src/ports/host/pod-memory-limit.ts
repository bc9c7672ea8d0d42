/** The memory limit of all pods together, as the kernel enforces it. */
export interface PodMemoryLimit {
  /**
   * Calls `onMet` each time that pods met it, often many times in a second, until the result is disposed. Throws
   * AgentError where the kernel does not report it.
   */
  watch(onMet: () => void): Disposable;
}
