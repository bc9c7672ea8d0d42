/**
 * Mounts of the agent's mount namespace. Calls reject with AgentError; what
 * is already gone counts as unmounted.
 */

export interface MountRequest {
  readonly fsType: string;
  readonly source: string;
  readonly target: string;
  readonly options: readonly string[];
}

export interface Mounter {
  /** Mount points at `path` or below it, a parent before what is mounted in it. */
  mountsBelow(path: string): Promise<string[]>;
  mount(request: MountRequest, signal?: AbortSignal): Promise<void>;
  /** Binds what the open descriptor refers to, even if its path was renamed or removed since. */
  bind(descriptor: number, target: string, signal?: AbortSignal): Promise<void>;
  /** Gives a bind mount further options, such as `ro`. */
  remount(target: string, options: readonly string[], signal?: AbortSignal): Promise<void>;
  /**
   * Unmounts a file system in memory that this very mounter has mounted there, without a look at the table. False says
   * nothing: it has not, or that failed.
   */
  unmountMemory(target: string): Promise<boolean>;
  /** With `force`, requests that wait for a dead file server are aborted. */
  unmount(target: string, signal?: AbortSignal, force?: boolean): Promise<void>;
}
