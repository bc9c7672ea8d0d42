/** What containers wrote, read from the runtime's log files as it was asked for. */

export type LogStream = 'All' | 'Stdout' | 'Stderr';

export interface LogQuery {
  /** Go on with what is written later, until the container ends. */
  readonly follow: boolean;
  /** Begin each line with its time. */
  readonly timestamps: boolean;
  readonly stream: LogStream;
  /** Only so many lines from the end. */
  readonly tailLines?: number;
  /** Nothing written before, in milliseconds since the epoch. */
  readonly sinceMs?: number;
  /** Stop after so many bytes. */
  readonly limitBytes?: number;
}

export interface LogSink {
  /** Resolves when more may be written; rejects when the reader is gone. */
  write(chunk: Uint8Array): Promise<void>;
}

export interface LogReadOptions {
  readonly signal: AbortSignal;
  /** False once the container will write no more. Asked at the end of the file, when following. */
  readonly isRunning: () => Promise<boolean>;
}

export interface ContainerLogs {
  /**
   * Writes what the query asks for. Resolves at the end, or when `signal`
   * aborts; rejects with AgentError when the file cannot be read, and with
   * the sink's own failure.
   */
  read(path: string, query: LogQuery, sink: LogSink, options: LogReadOptions): Promise<void>;
}
