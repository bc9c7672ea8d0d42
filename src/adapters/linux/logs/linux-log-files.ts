/**
 * The port ContainerLogFiles. A container with a volume on the node may have
 * put anything into its log directory: the directory is opened without
 * following a link, and every file is named through the open directory.
 */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip, constants as zlib } from 'node:zlib';
import { AgentError } from '../../../base/errors.ts';
import { toPathComponent } from '../../../core/model/path-component.ts';
import type { ContainerLogFiles, LogWatchListener } from '../../../ports/runtime/container-log-files.ts';
import { readNames } from '../files/list-names.ts';
import { openDirectoryInside } from '../files/open-inside.ts';
import { watchDirectory } from '../files/watch-directory.ts';
import { hasErrno, toHostError } from '../host-error.ts';

/** Far more than rotation leaves; what has more is not ours. */
const MAX_NAMES = 10_000;
/** Without O_NONBLOCK opening a pipe would wait for a writer. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const CHUNK_BYTES = 64 * 1024;

export class LinuxLogFiles implements ContainerLogFiles {
  readonly #root: string;

  /** `root` is the directory of all pod logs. */
  constructor(root: string) {
    this.#root = root;
  }

  async size(log: string): Promise<number | undefined> {
    try {
      const found = await lstat(log);
      if (found.isFile()) return found.size;
    } catch (error) {
      if (hasErrno(error, 'ENOENT')) return undefined;
      throw toHostError('look at', log, error);
    }
    throw new AgentError('failed-precondition', `cannot look at ${JSON.stringify(log)}: not a regular file`);
  }

  /** The directory is watched, not the file: so no link is followed, and a rotation changes nothing. */
  async watch(log: string, { onWrite, onEnd }: LogWatchListener): Promise<Disposable | undefined> {
    const base = basename(log);
    const onEvent = (name: string): void => {
      if (name === base) onWrite();
    };
    try {
      return await this.#inDirectory('watch', log, async (place) =>
        watchDirectory(place, { onEvent, onEnd }),
      );
    } catch {
      return undefined;
    }
  }

  listRotated(log: string): Promise<string[]> {
    return this.#inDirectory('list', log, async (place) => {
      const prefix = `${basename(log)}.`;
      const names = (await readNames(place, MAX_NAMES)).filter((name) => name.startsWith(prefix));
      const found = await Promise.all(names.map((name) => isRegular(`${place}/${name}`)));
      return names.filter((_, index) => found[index] === true);
    });
  }

  remove(log: string, name: string): Promise<void> {
    return this.#inDirectory('remove', log, (place) =>
      rm(`${place}/${toPathComponent(name)}`, { force: true }),
    );
  }

  rename(log: string, from: string, to: string): Promise<void> {
    return this.#inDirectory('rename', log, async (place) => {
      const target = `${place}/${toPathComponent(to)}`;
      if (await exists(target))
        throw new AgentError('already-exists', `cannot rename ${JSON.stringify(log)}: "${to}" exists`);
      await rename(`${place}/${toPathComponent(from)}`, target);
    });
  }

  compress(log: string, name: string, signal: AbortSignal): Promise<void> {
    return this.#inDirectory('compress', log, async (place) => {
      const source = `${place}/${toPathComponent(name)}`;
      await using input = await open(source, READ);
      const facts = await input.stat();
      if (!facts.isFile())
        throw new AgentError('failed-precondition', `cannot compress "${name}": not a regular file`);
      const unfinished = `${source}.tmp`;
      await rm(unfinished, { force: true });
      try {
        await using output = await open(unfinished, CREATE, facts.mode & 0o7777);
        await output.chmod(facts.mode & 0o7777);
        await output.chown(facts.uid, facts.gid);
        await compressInto(input, output, signal);
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
      // Removed meanwhile, to make room: then its copy is in the way as well.
      if (!(await exists(source))) return rm(unfinished, { force: true });
      await rename(unfinished, `${source}.gz`);
      await rm(source, { force: true });
    });
  }

  /** `work` gets a path that is this very directory whatever happens to its name. Rejects with AgentError. */
  async #inDirectory<T>(action: string, log: string, work: (place: string) => Promise<T>): Promise<T> {
    try {
      await using directory = await openDirectoryInside(this.#root, dirname(log));
      return await work(`/proc/self/fd/${directory.fd}`);
    } catch (error) {
      throw toHostError(action, log, error);
    }
  }
}

/** Compression runs in Node's threads; no more than a few chunks are in memory. */
async function compressInto(input: FileHandle, output: FileHandle, signal: AbortSignal): Promise<void> {
  await pipeline(
    readChunks(input),
    // Quick: the processor is for the containers, and text shrinks well even so.
    createGzip({ level: zlib.Z_BEST_SPEED, chunkSize: CHUNK_BYTES }),
    async (chunks: AsyncIterable<Uint8Array>) => {
      for await (const chunk of chunks) await output.appendFile(chunk);
    },
    { signal },
  );
}

/** The handles stay the caller's: streams of Node's own would keep them from being closed. */
async function* readChunks(input: FileHandle): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { bytesRead, buffer } = await input.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

async function isRegular(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isFile();
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return false;
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return false;
    throw error;
  }
}
