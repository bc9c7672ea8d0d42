/**
 * Binds a server to a unix socket that only the agent's own user can reach. It
 * is bound under a name of its own, gets its mode, and is then renamed: there
 * is no moment at which others could connect, and a plugin that watches the
 * directory sees a socket that accepts. What a killed agent left is replaced.
 */
import { chmod, rename, rm } from 'node:fs/promises';
import type { Server } from 'node:net';
import { dirname } from 'node:path';
import { AgentError, errorText } from '../../base/errors.ts';
import { makeDirectory } from '../linux/files/make-directory.ts';

/** What the kernel takes, without the zero at the end. */
const MAX_PATH_BYTES = 107;
const MODE = 0o600;

export interface BoundSocket {
  /** Removes the file. Never rejects. */
  remove(): Promise<void>;
}

/** Resolves when the server accepts. Rejects with AgentError; binding may then be retried. */
export async function bindSocket(
  server: Pick<Server, 'listen' | 'once' | 'removeListener'>,
  path: string,
  directoryMode: number,
): Promise<BoundSocket> {
  const early = `${dirname(path)}/.${process.pid}.sock`;
  for (const name of [path, early])
    if (Buffer.byteLength(name) > MAX_PATH_BYTES)
      throw cannot(path, `the path is longer than ${MAX_PATH_BYTES} bytes`, 'invalid-argument');
  const started = Promise.withResolvers<void>();
  server.once('error', started.reject);
  try {
    await makeDirectory(dirname(path), directoryMode);
    await rm(early, { force: true });
    server.listen(early, started.resolve);
    await started.promise;
    await chmod(early, MODE);
    await rename(early, path);
  } catch (error) {
    throw cannot(path, errorText(error), 'unavailable');
  } finally {
    server.removeListener('error', started.reject);
  }
  return { remove: () => rm(path, { force: true }).catch(() => {}) };
}

function cannot(path: string, why: string, code: AgentError['code']): AgentError {
  return new AgentError(code, `cannot listen on ${JSON.stringify(path)}: ${why}`);
}
