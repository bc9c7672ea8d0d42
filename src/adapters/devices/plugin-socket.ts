/**
 * The sockets of device plugins. The directory is open to programs that run in
 * pods, so a name there is hostile text: it must be the plain name of a socket,
 * and no link, before anything connects to it.
 */
import { lstat, readdir, rm } from 'node:fs/promises';
import { isAbsolute, join, normalize } from 'node:path';
import { AgentError, errorText } from '../../base/errors.ts';
import { quote } from '../../base/text/quote.ts';

const MAX_PATH_BYTES = 107;

/** The path of the socket a plugin named. Rejects with AgentError when it may not be used. */
export async function findPluginSocket(directory: string, endpoint: string): Promise<string> {
  const path = toSocketPath(directory, endpoint);
  if (path === undefined || Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw new AgentError('invalid-argument', `invalid endpoint ${quote(endpoint)} of a device plugin`);
  const facts = await lstat(path).catch((error: unknown) => {
    throw new AgentError('not-found', `cannot use endpoint ${quote(endpoint)}: ${errorText(error)}`);
  });
  if (!facts.isSocket())
    throw new AgentError('invalid-argument', `endpoint ${quote(endpoint)} of a device plugin is no socket`);
  return path;
}

function toSocketPath(directory: string, endpoint: string): string | undefined {
  if (endpoint === '' || endpoint.includes('\0')) return undefined;
  if (isAbsolute(endpoint)) return normalize(endpoint) === endpoint ? endpoint : undefined;
  return endpoint.includes('/') || endpoint === '.' || endpoint === '..'
    ? undefined
    : join(directory, endpoint);
}

/** What earlier plugins and agents left; other files, such as the checkpoint, stay. */
export async function removeSockets(directory: string): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    const path = join(directory, name);
    const facts = await lstat(path).catch(() => undefined);
    if (facts?.isSocket()) await rm(path, { force: true });
  }
}
