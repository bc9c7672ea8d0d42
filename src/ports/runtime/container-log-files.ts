/**
 * The files of container logs on disk. A log is named by its absolute path;
 * rotated files lie beside it and are named without a directory. Nothing is
 * followed or waited for: a link, pipe or directory is never a log file.
 * Calls reject with AgentError.
 */
export interface ContainerLogFiles {
  /** Undefined when there is none; rejects with `failed-precondition` when it is no regular file. */
  size(log: string): Promise<number | undefined>;
  /** Undefined when it cannot be watched. Never rejects. */
  watch(log: string, listener: LogWatchListener): Promise<Disposable | undefined>;
  /** Regular files in the log's directory whose names begin with the log's and a dot. */
  listRotated(log: string): Promise<string[]>;
  /** Nothing there is success. */
  remove(log: string, name: string): Promise<void>;
  /** Rejects with `already-exists` rather than replace a file. */
  rename(log: string, from: string, to: string): Promise<void>;
  /** Replaces the file by one with `.gz` at the end; on failure it stays as it was. */
  compress(log: string, name: string, signal: AbortSignal): Promise<void>;
}

/** Called until the watch is disposed. */
export interface LogWatchListener {
  /** The log was written to, removed or made; for many changes at once perhaps called only one time. */
  readonly onWrite: () => void;
  /** The watch has died and reports nothing any more; called once. */
  readonly onEnd: () => void;
}
