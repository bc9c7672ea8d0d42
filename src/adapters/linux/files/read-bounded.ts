/**
 * Reading a file that may be changed, swapped or fed while it is read: one
 * descriptor, opened without waiting for a pipe, and never more than the limit
 * and one byte, whatever size the file reports.
 */
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { AgentError } from '../../../base/errors.ts';
import { open } from '../storage/storage-fs.ts';

const CHUNK_BYTES = 64 * 1024;

export interface BoundedRead {
  readonly maxBytes: number;
  /** Only for places where the administrator alone makes links. */
  readonly followsLinks?: boolean;
}

/**
 * The whole of a regular file. Rejects with the system's error (ELOOP for a
 * link), or with AgentError: `resource-exhausted` when the file is longer,
 * `failed-precondition` when it is no regular file.
 */
export async function readBounded(
  path: string,
  { maxBytes, followsLinks = false }: BoundedRead,
): Promise<Buffer> {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  await using handle = await open(path, O_RDONLY | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW));
  const cannot = `cannot read ${JSON.stringify(path)}`;
  if (!(await handle.stat()).isFile())
    throw new AgentError('failed-precondition', `${cannot}: not a regular file`);
  const content = await readWhole(handle, maxBytes);
  if (content === undefined)
    throw new AgentError('resource-exhausted', `${cannot}: longer than ${maxBytes} bytes`);
  return content;
}

/** From the beginning to the end; undefined when there is more than `maxBytes`. */
export async function readWhole(
  handle: Pick<FileHandle, 'read'>,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  for (let total = 0; ; ) {
    const wanted = Math.min(CHUNK_BYTES, maxBytes + 1 - total);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, total);
    if (bytesRead === 0) return Buffer.concat(chunks);
    total += bytesRead;
    if (total > maxBytes) return undefined;
    chunks.push(buffer.subarray(0, bytesRead));
  }
}
