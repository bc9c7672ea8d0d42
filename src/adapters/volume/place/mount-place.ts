/** Places that something is mounted on, and binding one directory to another. */
import { dirname } from 'node:path';
import type { Mounter } from '../../../ports/host/mounter.ts';
import { makeDirectory } from '../../linux/files/make-directory.ts';
import { toHostError } from '../../linux/host-error.ts';
import { realpath } from '../../linux/storage/storage-fs.ts';
import { openDirectory } from './directory-descriptors.ts';

const DIRECTORY_MODE = 0o750;

/** Rejects with AgentError. */
export async function makePlace(directory: string): Promise<void> {
  try {
    await makeDirectory(dirname(directory), DIRECTORY_MODE);
    await makeDirectory(directory, DIRECTORY_MODE);
  } catch (error) {
    throw toHostError('create directory', directory, error);
  }
}

/** Through a descriptor: what was looked at is what is bound. Rejects with AgentError. */
export async function bindDirectory(
  mounter: Mounter,
  from: string,
  target: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const handle = await openDirectory(await realpath(from));
    try {
      await mounter.bind(handle.fd, target, signal);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw toHostError('bind', target, error);
  }
}
