/** What the node can delete when a disk is full, before a pod has to go. */
export interface NodeReclaim {
  /** Removes dead containers, also of pods that have ended but are not deleted yet. */
  removeDeadContainers(signal: AbortSignal): Promise<void>;
  /** Removes every image that no container uses and that is old enough. Rejects with AgentError when one stays. */
  removeUnusedImages(signal: AbortSignal): Promise<void>;
}
