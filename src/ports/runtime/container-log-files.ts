/**
 * The files of container logs on disk. A log is named by its absolute path;
 * rotated files lie beside it and are named without a directory. Nothing is
 * followed or waited for: a link, pipe or directory is never a log file.
 * Calls reject with AgentError.
 */
export interface ContainerLogFiles {
  /** Undefined when there is none; rejects with `failed-precondition` when it is no regular file. */
  size(log: string): Promise<number | undefined>;
  /**
   * Calls `onWrite` when the log is written to, for many writes at once perhaps only one time, until the result is
   * disposed. Undefined when it cannot be watched; a watch that dies later says nothing any more. Never rejects.
   */
  watch(log: string, onWrite: () => void): Promise<Disposable | undefined>;
  /** Regular files in the log's directory whose names begin with the log's and a dot. */
  listRotated(log: string): Promise<string[]>;
  /** Nothing there is success. */
  remove(log: string, name: string): Promise<void>;
  /** Rejects with `already-exists` rather than replace a file. */
  rename(log: string, from: string, to: string): Promise<void>;
  /** Replaces the file by one with `.gz` at the end; on failure it stays as it was. */
  compress(log: string, name: string, signal: AbortSignal): Promise<void>;
}
