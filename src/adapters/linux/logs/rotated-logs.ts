/**
 * The rotated files of one container's log, compressed or not, for those who
 * read on across rotations. A file is known by its name without `.gz`: it may
 * be compressed or removed while it is read, which loses nothing of what is open.
 */
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { hasCode } from '../../../base/errors.ts';
import { toCompressedName, toGenerations } from '../../../core/collection/log-rotation.ts';
import { openInside } from '../files/open-inside.ts';
import { LinuxLogFiles } from './linux-log-files.ts';

const BLOCK_BYTES = 64 * 1024;
/** Entries begin with their time in nanoseconds: so much of a file is like no other's. */
const HEAD_BYTES = 256;
const NEWLINE = 0x0a;

/** An open file of a log. */
export interface LogGeneration extends AsyncDisposable {
  /** What is in it; ends where it is damaged. */
  blocks(): AsyncIterable<Buffer>;
  readonly handle: FileHandle;
  readonly isCompressed: boolean;
}

export interface OlderLogs {
  readonly older: readonly string[];
  readonly after: readonly string[];
}

export class RotatedLogs {
  readonly #root: string;
  readonly #path: string;

  constructor(root: string, path: string) {
    this.#root = root;
    this.#path = path;
  }

  /** Their names without `.gz`, oldest first. Rejects with AgentError. */
  async list(): Promise<string[]> {
    const names = await new LinuxLogFiles(this.#root).listRotated(this.#path);
    return toGenerations(basename(this.#path), names);
  }

  /** Undefined when it was removed meanwhile. */
  async open(name: string): Promise<LogGeneration | undefined> {
    for (const candidate of [name, toCompressedName(name)]) {
      try {
        const handle = await openInside(this.#root, `${dirname(this.#path)}/${candidate}`);
        return toGeneration(handle, candidate !== name);
      } catch (error) {
        if (!hasCode(error, 'not-found')) throw error;
      }
    }
    return undefined;
  }

  /** Of these names, oldest first, those before the file `to`; `after` are those that also came after `from`. */
  async before(names: readonly string[], to: FileHandle, from?: FileHandle): Promise<OlderLogs> {
    const older: string[] = [];
    let after: string[] = [];
    for (const name of names) {
      await using generation = await this.open(name);
      if (generation === undefined) continue;
      if (await isSame(generation, to)) break;
      older.push(name);
      if (from !== undefined && (await isSame(generation, from))) after = [];
      else after.push(name);
    }
    return { older, after };
  }

  async countLines(name: string): Promise<number> {
    await using generation = await this.open(name);
    let lines = 0;
    for await (const block of generation?.blocks() ?? [])
      for (let at = block.indexOf(NEWLINE); at >= 0; at = block.indexOf(NEWLINE, at + 1)) lines++;
    return lines;
  }
}

/** The blocks without the first `lines` lines. */
export async function* skipLines(blocks: AsyncIterable<Buffer>, lines: number): AsyncGenerator<Buffer> {
  let left = lines;
  for await (const block of blocks) {
    let at = 0;
    for (; left > 0; left--) {
      const end = block.indexOf(NEWLINE, at);
      if (end < 0) break;
      at = end + 1;
    }
    if (left === 0 && at < block.length) yield block.subarray(at);
  }
}

function toGeneration(handle: FileHandle, isCompressed: boolean): LogGeneration {
  return {
    handle,
    isCompressed,
    blocks: () => (isCompressed ? readCompressed(handle) : readPlain(handle)),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function isSame(generation: LogGeneration, other: FileHandle): Promise<boolean> {
  const [mine, theirs] = await Promise.all([generation.handle.stat(), other.stat()]);
  if (mine.dev === theirs.dev && mine.ino === theirs.ino) return true;
  if (!generation.isCompressed) return false;
  const head = Buffer.alloc(HEAD_BYTES);
  const { bytesRead } = await other.read(head, 0, HEAD_BYTES, 0);
  if (bytesRead === 0) return false;
  for await (const block of generation.blocks())
    return block.subarray(0, bytesRead).equals(head.subarray(0, bytesRead));
  return false;
}

async function* readPlain(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await handle.read(
      Buffer.allocUnsafe(BLOCK_BYTES),
      0,
      BLOCK_BYTES,
      position,
    );
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** What can be unpacked is good; a damaged file has an early end. */
async function* readCompressed(handle: FileHandle): AsyncGenerator<Buffer> {
  const source = Readable.from(readPlain(handle));
  const unpacked = createGunzip({ chunkSize: BLOCK_BYTES });
  source.once('error', (error) => unpacked.destroy(error));
  source.pipe(unpacked);
  try {
    for await (const block of unpacked) yield block as Buffer;
  } catch {
    // The rest is lost.
  } finally {
    source.destroy();
    unpacked.destroy();
  }
}
