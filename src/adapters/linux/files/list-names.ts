/**
 * The names in a directory, for those who decide by what is missing from it:
 * a directory that cannot be read is not an empty one.
 */
import { readdir } from 'node:fs/promises';
import { hasErrno, toHostError } from '../host-error.ts';

/** Empty when there is no such directory. Rejects with AgentError when it cannot be read. */
export async function listNames(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return [];
    throw toHostError('list', directory, error);
  }
}
