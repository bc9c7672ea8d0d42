/** The log of the kernel, as far as it is about processes that were killed for lack of memory. */
export interface KernelMessages {
  /**
   * Calls `onMessage` with the text of each message, from the oldest that the
   * kernel still has, until `stop` aborts; others than those about kills may
   * come late or not at all. `onLost` says that some were overwritten before
   * they were read. Rejects with AgentError when the log cannot be read.
   */
  followKills(onMessage: (text: string) => void, onLost: () => void, stop: AbortSignal): Promise<void>;
}
