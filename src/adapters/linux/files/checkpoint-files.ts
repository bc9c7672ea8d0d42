/**
 * Checkpoints as files: `<directory>/<name>` holds one JSON document and a
 * checksum of it, so that a damaged file is distinguished from an old one. Readable by
 * the agent's user only, because documents may hold secrets.
 *
 * Invariant: writes of one name happen in the order they were asked for.
 */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { KeyedMutex } from '../../../base/async/keyed-mutex.ts';
import { AgentError } from '../../../base/errors.ts';
import type { CheckpointStore } from '../../../ports/host/checkpoint-store.ts';
import { hasErrno, toHostError } from '../host-error.ts';
import { replaceFile } from './atomic-file.ts';
import { makeDirectory } from './make-directory.ts';
import { readBounded } from './read-bounded.ts';

/** No separator and no leading dot: a name stays in the directory and apart from half-written files. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Pods and what they need are in one; longer text is none of ours. */
const MAX_CHECKPOINT_BYTES = 256 * 1024 * 1024;

export class CheckpointFiles implements CheckpointStore {
  readonly #directory: string;
  readonly #writes = new KeyedMutex();

  /** The directory is created by the first write. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  async read(name: string): Promise<unknown> {
    const path = this.#pathOf(name);
    let text: string;
    try {
      text = (await readBounded(path, { maxBytes: MAX_CHECKPOINT_BYTES })).toString('utf8');
    } catch (error) {
      if (hasErrno(error, 'ENOENT')) return undefined;
      throw toHostError('read checkpoint', path, error);
    }
    const parsed = parseCheckpoint(text);
    if ('problem' in parsed) {
      const message = `cannot read checkpoint ${JSON.stringify(path)}: ${parsed.problem}`;
      throw new AgentError('failed-precondition', message);
    }
    return parsed.document;
  }

  async write(name: string, document: unknown): Promise<void> {
    const path = this.#pathOf(name);
    // Rendered now: the caller may change the document while an earlier write is under way.
    const content = renderCheckpoint(document);
    await this.#writes.run(name, () => this.#replace(path, content));
  }

  async #replace(path: string, content: string): Promise<void> {
    try {
      await makeDirectory(this.#directory, 0o700);
      await replaceFile(path, { content, mode: 0o600, syncDirectory: true });
    } catch (error) {
      throw toHostError('write checkpoint', path, error);
    }
  }

  #pathOf(name: string): string {
    if (!NAME.test(name))
      throw new AgentError('invalid-argument', `cannot use ${JSON.stringify(name)} as a checkpoint's name`);
    return join(this.#directory, name);
  }
}

/** The text of a checkpoint file. Throws for what has no JSON. */
export function renderCheckpoint(document: unknown): string {
  const data = JSON.stringify(document);
  if (data === undefined)
    throw new AgentError('invalid-argument', 'cannot write checkpoint: the document has no JSON');
  return `{"checksum":"${computeChecksum(data)}","data":${data}}\n`;
}

/** The document, or what is wrong with the text. */
export function parseCheckpoint(text: string): { readonly document: unknown } | { readonly problem: string } {
  let wrapper: unknown;
  try {
    wrapper = JSON.parse(text);
  } catch {
    return { problem: 'the file is damaged: it is not JSON' };
  }
  if (typeof wrapper !== 'object' || wrapper === null || !('checksum' in wrapper) || !('data' in wrapper))
    return { problem: 'the file is damaged: checksum or data is missing' };
  // What JSON.stringify has written it writes again in the same way once parsed.
  const checksum = computeChecksum(JSON.stringify(wrapper.data));
  if (wrapper.checksum !== checksum) return { problem: 'the file is damaged: the checksum does not match' };
  return { document: wrapper.data };
}

function computeChecksum(data: string): string {
  return `sha256:${createHash('sha256').update(data).digest('hex')}`;
}
