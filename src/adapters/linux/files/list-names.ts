/**
 * The names in a directory, for code that decides by what is missing from it:
 * a directory that cannot be read is not an empty one. A container may have
 * filled it, so there is an end to what is read.
 */
import { AgentError } from '../../../base/errors.ts';
import { hasErrno, toHostError } from '../host-error.ts';
import { opendir } from '../storage/storage-fs.ts';

/** More than any directory that the agent itself fills. */
const MAX_NAMES = 100_000;

/** Empty when there is no such directory. Rejects with AgentError when it cannot be read or has too many. */
export async function listNames(directory: string, maxNames = MAX_NAMES): Promise<string[]> {
  try {
    return await readNames(directory, maxNames);
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return [];
    throw toHostError('list', directory, error);
  }
}

/** Rejects with the system's error, or with AgentError when there are too many. */
export async function readNames(directory: string, maxNames = MAX_NAMES): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of await opendir(directory)) {
    if (names.length >= maxNames) {
      const why = `cannot list ${JSON.stringify(directory)}: more than ${maxNames} entries`;
      throw new AgentError('resource-exhausted', why);
    }
    names.push(name);
  }
  return names;
}
