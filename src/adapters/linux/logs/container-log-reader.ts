/**
 * Reads a container's log file, and follows it across rotation by the
 * kubelet or another program:
 *
 *   read ──end of file──► another file at the path? read the old one to its
 *    ▲                    end once more, then the new one from its start
 *    │                    ├─ shorter than read so far? from its start
 *    │                    ├─ container ended? once more to the end, done
 *    └──── change, 1 s ───┘
 *
 * Invariants: one block in memory per reader, the next one is read when the
 * client has taken the last; no link is followed and nothing outside the log
 * root is opened.
 */
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, sleep } from '../../../base/async/clock.ts';
import { hasCode } from '../../../base/errors.ts';
import type {
  ContainerLogs,
  LogQuery,
  LogReadOptions,
  LogSink,
} from '../../../ports/runtime/container-logs.ts';
import { DirectoryWatcher } from '../files/directory-watcher.ts';
import { openInside } from '../files/open-inside.ts';
import { toHostError } from '../host-error.ts';
import { findTail } from './log-tail.ts';
import { LogWriter } from './log-writer.ts';

const BLOCK_BYTES = 64 * 1024;
const RECHECK_MS = 1_000;

export interface ContainerLogReaderSettings {
  /** The directory of all pod logs. */
  readonly root: string;
  readonly clock: Clock;
}

export class ContainerLogReader implements ContainerLogs {
  readonly #settings: ContainerLogReaderSettings;

  constructor(settings: ContainerLogReaderSettings) {
    this.#settings = settings;
  }

  async read(path: string, query: LogQuery, sink: LogSink, options: LogReadOptions): Promise<void> {
    const { root, clock } = this.#settings;
    const handle = await openInside(root, path);
    const reading = new LogReading({ root, path, query, sink, clock, ...options }, handle);
    try {
      await reading.run();
    } finally {
      await reading.close();
    }
  }
}

interface ReadingParts extends LogReadOptions {
  readonly root: string;
  readonly path: string;
  readonly query: LogQuery;
  readonly sink: LogSink;
  readonly clock: Clock;
}

/** One client's way through the file. */
class LogReading {
  readonly #parts: ReadingParts;
  readonly #writer: LogWriter;
  readonly #buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  #handle: FileHandle;
  #position = 0;

  constructor(parts: ReadingParts, handle: FileHandle) {
    this.#parts = parts;
    this.#handle = handle;
    this.#writer = new LogWriter(parts.query);
  }

  async run(): Promise<void> {
    const { query, sink } = this.#parts;
    if (query.tailLines !== undefined) this.#position = await findTail(this.#handle, query.tailLines);
    await this.#readToEnd();
    if (query.follow) await this.#follow();
    if (!this.#stopped) await sink.write(this.#writer.flush());
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  get #stopped(): boolean {
    return this.#writer.done || this.#parts.signal.aborted;
  }

  async #readToEnd(): Promise<void> {
    while (!this.#stopped) {
      const length = await this.#readBlock();
      if (length === 0) return;
      this.#position += length;
      await this.#parts.sink.write(this.#writer.push(this.#buffer.subarray(0, length)));
    }
  }

  async #readBlock(): Promise<number> {
    try {
      return (await this.#handle.read(this.#buffer, 0, BLOCK_BYTES, this.#position)).bytesRead;
    } catch (error) {
      throw toHostError('read', this.#parts.path, error);
    }
  }

  async #follow(): Promise<void> {
    const { signal, path, clock, isRunning } = this.#parts;
    let wake = new AbortController();
    using watcher = new DirectoryWatcher(() => wake.abort());
    while (!this.#stopped) {
      await watcher.follow(dirname(path));
      // Made before looking: what happens after the look ends the wait at once.
      wake = new AbortController();
      // Asked before the look: what an ended container wrote is in the file by then.
      const running = await isRunning();
      await this.#lookAgain();
      if (!running || this.#stopped) return;
      await sleep(clock, RECHECK_MS, AbortSignal.any([signal, wake.signal]));
    }
  }

  async #lookAgain(): Promise<void> {
    const next = await this.#openReplacement();
    const { size } = await this.#handle.stat();
    if (size < this.#position) {
      this.#position = 0;
      this.#writer.restart();
    }
    await this.#readToEnd();
    if (next === undefined) return;
    await this.#handle.close();
    this.#handle = next;
    this.#position = 0;
    this.#writer.restart();
    await this.#readToEnd();
  }

  /** The file that is at the path now, when it is another one. */
  async #openReplacement(): Promise<FileHandle | undefined> {
    let found: FileHandle;
    try {
      found = await openInside(this.#parts.root, this.#parts.path);
    } catch (error) {
      // Between the two steps of a rotation, or for good when the pod is gone.
      if (hasCode(error, 'not-found')) return undefined;
      throw error;
    }
    const [now, mine] = await Promise.all([found.stat(), this.#handle.stat()]);
    if (now.dev === mine.dev && now.ino === mine.ino) {
      await found.close();
      return undefined;
    }
    return found;
  }
}
