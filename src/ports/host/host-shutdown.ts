/**
 * What the machine says of its own shutdown, and the lock that holds it up
 * while pods end. The lock is not held by the agent's process: it stays when
 * the agent dies, until it is released or the machine does not wait any longer.
 */
export interface HostShutdown {
  /** Rejects with AgentError. */
  connect(signal: AbortSignal): Promise<HostShutdownLink>;
}

/** Dispose it to hang up: that leaves the lock as it is. Every method rejects with AgentError. */
export interface HostShutdownLink extends Disposable {
  /** Aborts when the connection is lost. */
  readonly lost: AbortSignal;
  /** How long the machine waits for locks at most. */
  readDelayMs(signal: AbortSignal): Promise<number>;
  /** Asks the machine to wait so long; `readDelayMs` shows whether it will, after a while. */
  raiseDelay(seconds: number, signal: AbortSignal): Promise<void>;
  /** Whether a shutdown is under way. */
  isPending(signal: AbortSignal): Promise<boolean>;
  /** Calls `listener` when a shutdown begins (true) or is called off (false); dispose the result to stop. */
  subscribe(listener: (isPending: boolean) => void): Disposable;
  /** The next shutdown waits; one that is held already is success. Rejects unless the machine confirms the lock. */
  takeLock(signal: AbortSignal): Promise<void>;
  /** A shutdown goes ahead; no lock is success. */
  releaseLock(signal: AbortSignal): Promise<void>;
}
