/** Binding a server to an address, with readable errors. */
import type { Server } from 'node:net';
import { AgentError, errorText } from '../../base/errors.ts';

/** Resolves when the server accepts. Rejects with AgentError; listening may then be retried. */
export async function listen(server: Server, address: string, port: number): Promise<void> {
  const started = Promise.withResolvers<void>();
  server.once('error', started.reject);
  server.listen({ host: address, port, exclusive: true }, started.resolve);
  try {
    await started.promise;
  } catch (error) {
    throw toListenError(address, port, error);
  } finally {
    server.removeListener('error', started.reject);
  }
}

const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'address already in use',
  EADDRNOTAVAIL: 'no interface of this host has the address',
  EACCES: 'permission denied',
};

function toListenError(address: string, port: number, error: unknown): AgentError {
  const errno = error instanceof Error && 'code' in error ? String(error.code) : '';
  const place = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
  const why = LISTEN_PROBLEMS[errno] ?? errorText(error);
  const code = errno === 'EACCES' ? 'permission-denied' : 'unavailable';
  return new AgentError(code, `cannot listen on "${place}": ${why}`, { cause: error });
}
