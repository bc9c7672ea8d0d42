/** What `kubelet run` needs of the program that it is a command of: a kubelet in this very process. */

export interface ForegroundSettings {
  /** The command line of the kubelet. */
  readonly argv: readonly string[];
  /** The only pods it sees, and what it makes, are of this owner. */
  readonly podOwner: string;
  /** Where its log goes. */
  readonly logFile: string;
}

export interface ForegroundKubelet {
  /** Resolves when it can no longer go on. */
  readonly failed: Promise<unknown>;
  /** Ends all pods, in their own grace or the shorter one. */
  endPods(graceSeconds?: number): void;
  /** Pods keep running. */
  stop(): Promise<void>;
}

export interface ForegroundMeans {
  /** Rejects with AgentError when it cannot start, or `signal` aborts before it has. */
  readonly startKubelet: (settings: ForegroundSettings, signal: AbortSignal) => Promise<ForegroundKubelet>;
  /** Aborts when the user has asked a second time to stop. */
  readonly hurry: AbortSignal;
  /** Of the user who runs the program; 0 is root. */
  readonly userId: number;
}
