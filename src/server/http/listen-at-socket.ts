/**
 * Binding a server to a unix socket that only the agent's own user can reach:
 * its directory admits no other user, so there is no moment at which others
 * could. A socket that a killed agent left behind is replaced; one that
 * another process serves is not.
 */
import { chmod, mkdir, rm } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { dirname } from 'node:path';
import { AgentError, errorText } from '../../base/errors.ts';

/** What the kernel takes, without the zero at the end. */
const MAX_PATH_BYTES = 107;

/** Resolves when the server accepts. Rejects with AgentError; listening may then be retried. */
export async function listenAtSocket(server: Server, path: string): Promise<void> {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw cannot(path, `the path is longer than ${MAX_PATH_BYTES} bytes`, 'invalid-argument');
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await chmod(dirname(path), 0o700);
  } catch (error) {
    throw cannot(path, errorText(error), 'failed-precondition');
  }
  if (await isAnswered(path)) throw cannot(path, 'another process serves it', 'already-exists');
  await rm(path, { force: true });
  const started = Promise.withResolvers<void>();
  server.once('error', started.reject);
  server.listen(path, started.resolve);
  try {
    await started.promise;
    await chmod(path, 0o600);
  } catch (error) {
    throw cannot(path, errorText(error), 'unavailable');
  } finally {
    server.removeListener('error', started.reject);
  }
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (answered: boolean): void => {
      socket.destroy();
      resolve(answered);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}

function cannot(path: string, why: string, code: AgentError['code']): AgentError {
  return new AgentError(code, `cannot listen on ${JSON.stringify(path)}: ${why}`);
}
