/** The log of the kernel. */
export interface KernelMessages {
  /**
   * Calls `onMessage` with the text of each message, from the oldest that the
   * kernel still has, until `stop` aborts. `onLost` says that some were
   * overwritten before they were read. Rejects with AgentError when the log
   * cannot be read.
   */
  follow(onMessage: (text: string) => void, onLost: () => void, stop: AbortSignal): Promise<void>;
}
