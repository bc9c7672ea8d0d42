/**
 * Reads a container's log with its rotated files, compressed or not, and
 * follows it across rotation by the kubelet or another program:
 *
 *   read ──end of file──► another file at the path? read the old one to its
 *    ▲                    end once more, then those that were rotated since,
 *    │                    then the new one from its start
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
import { RotatedLogs, skipLines } from './rotated-logs.ts';

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
  readonly #rotated: RotatedLogs;
  #handle: FileHandle;
  #position = 0;
  /** Rotated files that are older than the open one. */
  #known = new Set<string>();

  constructor(parts: ReadingParts, handle: FileHandle) {
    this.#parts = parts;
    this.#handle = handle;
    this.#writer = new LogWriter(parts.query);
    this.#rotated = new RotatedLogs(parts.root, parts.path);
  }

  async run(): Promise<void> {
    const { query, sink } = this.#parts;
    for (const { name, skip } of await this.#findStart()) await this.#readRotated(name, skip);
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

  /** The rotated files to read before the present one, and where to begin in each; sets where to begin in that. */
  async #findStart(): Promise<{ readonly name: string; readonly skip: number }[]> {
    const { tailLines } = this.#parts.query;
    const older = await this.#listOlder();
    this.#known = new Set(older);
    if (tailLines === undefined) return older.map((name) => ({ name, skip: 0 }));
    const { position, missing } = await findTail(this.#handle, tailLines);
    this.#position = position;
    const start: { name: string; skip: number }[] = [];
    for (let wanted = missing; wanted > 0 && !this.#stopped; ) {
      const name = older.pop();
      if (name === undefined) break;
      const lines = await this.#rotated.countLines(name);
      start.unshift({ name, skip: Math.max(0, lines - wanted) });
      wanted -= lines;
    }
    return start;
  }

  /** Rotated files that are older than the one that is open, oldest first. */
  async #listOlder(): Promise<string[]> {
    const names = await this.#rotated.list();
    if (await this.#isAtPath()) return names;
    // Rotated since it was opened: it and what came after it are among them.
    return [...(await this.#rotated.before(names, this.#handle)).older];
  }

  async #readRotated(name: string, skip: number): Promise<void> {
    const { sinceMs = 0 } = this.#parts.query;
    await using generation = await this.#rotated.open(name);
    // What was last written before that time has nothing to show.
    if (generation === undefined || (await generation.handle.stat()).mtimeMs < sinceMs) return;
    this.#writer.restart();
    for await (const block of skipLines(generation.blocks(), skip)) {
      if (this.#stopped) return;
      await this.#parts.sink.write(this.#writer.push(block));
    }
    this.#writer.restart();
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
    try {
      const { size } = await this.#handle.stat();
      if (size < this.#position) {
        this.#position = 0;
        this.#writer.restart();
      }
      await this.#readToEnd();
      if (next === undefined) return;
      await this.#readSkipped(next);
    } catch (error) {
      await next?.close();
      throw error;
    }
    const old = this.#handle;
    this.#handle = next;
    await old.close();
    this.#position = 0;
    this.#writer.restart();
    await this.#readToEnd();
  }

  /** Files that were begun and rotated since the last look. */
  async #readSkipped(next: FileHandle): Promise<void> {
    const names = await this.#rotated.list();
    const fresh = names.filter((name) => !this.#known.has(name));
    const { older, after } = await this.#rotated.before(fresh, next, this.#handle);
    for (const name of after) await this.#readRotated(name, 0);
    for (const name of older) this.#known.add(name);
  }

  async #isAtPath(): Promise<boolean> {
    await using found = await this.#openPath();
    return found !== undefined && (await this.#isOpen(found));
  }

  /** The file that is at the path now, when it is another one. */
  async #openReplacement(): Promise<FileHandle | undefined> {
    const found = await this.#openPath();
    if (found === undefined) return undefined;
    try {
      if (!(await this.#isOpen(found))) return found;
    } catch (error) {
      await found.close();
      throw error;
    }
    await found.close();
    return undefined;
  }

  async #openPath(): Promise<FileHandle | undefined> {
    try {
      return await openInside(this.#parts.root, this.#parts.path);
    } catch (error) {
      // Between the two steps of a rotation, or for good when the pod is gone.
      if (hasCode(error, 'not-found')) return undefined;
      throw error;
    }
  }

  async #isOpen(found: FileHandle): Promise<boolean> {
    const [now, mine] = await Promise.all([found.stat(), this.#handle.stat()]);
    return now.dev === mine.dev && now.ino === mine.ino;
  }
}
