/** The logs of the host itself: files below its log directory, and the journal of its services. */

export interface LogFile {
  readonly kind: 'file';
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
  /** From `start` to `end`, which is excluded; in chunks, each read once the previous one was consumed. Opens and closes the file. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
}

export interface LogDirectory {
  readonly kind: 'directory';
  /** Sorted; those of directories end in a slash. */
  readonly names: readonly string[];
}

export interface NodeLogs {
  /**
   * `path` is below the log directory, empty for itself. Rejects with AgentError: `not-found`, `permission-denied` for what
   * leads outside, `failed-precondition` for what is neither file nor directory.
   */
  open(path: string): Promise<LogDirectory | LogFile>;
  /** The units that have written to the journal, as text; empty where there is none. */
  readUnits(signal: AbortSignal): Promise<string>;
  /** What journalctl prints for these arguments, in pieces. Throws AgentError when it cannot be started. */
  readJournal(args: readonly string[], signal: AbortSignal): AsyncIterable<Uint8Array>;
}
