/**
 * The logs of the host on its disk. Links are followed as long as they stay
 * below the log directory: what they lead to is looked up first and then
 * opened without following any.
 */
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentError } from '../../../base/errors.ts';
import type { LogDirectory, LogFile, NodeLogs } from '../../../ports/host/node-logs.ts';
import { openInside } from '../files/open-inside.ts';
import { toHostError } from '../host-error.ts';
import { findArgumentFault } from '../program/program-arguments.ts';
import { plainEnvironment, streamProgram } from '../program/start-program.ts';

const BLOCK_BYTES = 64 * 1024;
const MAX_UNITS_BYTES = 1024 * 1024;

export class NodeLogFiles implements NodeLogs {
  readonly #root: string;
  readonly #journalctl: string;

  constructor(root: string, journalctl = 'journalctl') {
    this.#root = root;
    this.#journalctl = journalctl;
  }

  async open(path: string): Promise<LogDirectory | LogFile> {
    try {
      const root = await realpath(this.#root);
      const found = await realpath(join(root, path));
      if (found !== root && !found.startsWith(`${root}/`))
        throw new AgentError('permission-denied', `cannot open ${JSON.stringify(path)}: outside of ${root}`);
      if ((await stat(found)).isDirectory()) return await listDirectory(found);
      return await openFile(root, found);
    } catch (error) {
      throw toHostError('open', path, error);
    }
  }

  async readUnits(signal: AbortSignal): Promise<string> {
    let text = '';
    try {
      for await (const chunk of this.readJournal(['--field', '_SYSTEMD_UNIT'], signal)) {
        if (text.length < MAX_UNITS_BYTES) text += Buffer.from(chunk).toString();
      }
    } catch {
      return '';
    }
    return text;
  }

  async *readJournal(args: readonly string[], signal: AbortSignal): AsyncIterable<Uint8Array> {
    const fault = findArgumentFault('journalctl', args);
    if (fault !== undefined) throw new AgentError('invalid-argument', `cannot read the journal: ${fault}`);
    const { TZ } = process.env;
    const env = { ...plainEnvironment(), ...(TZ === undefined ? {} : { TZ }) };
    try {
      yield* streamProgram({ program: this.#journalctl, args, env, signal });
    } catch (error) {
      throw toHostError('start', this.#journalctl, error);
    }
  }
}

async function listDirectory(path: string): Promise<LogDirectory> {
  const entries = await readdir(path, { withFileTypes: true });
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  return { kind: 'directory', names: names.toSorted() };
}

async function openFile(root: string, path: string): Promise<LogFile> {
  await using handle = await openInside(root, path);
  const { size, mtimeMs } = await handle.stat();
  return {
    kind: 'file',
    sizeBytes: size,
    modifiedAtMs: mtimeMs,
    read: (start, end) => readBlocks(root, path, start, end),
  };
}

async function* readBlocks(root: string, path: string, start: number, end: number): AsyncGenerator<Buffer> {
  await using handle = await openInside(root, path);
  const buffer = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, end - start));
  for (let at = start; at < end; ) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, end - at), at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
