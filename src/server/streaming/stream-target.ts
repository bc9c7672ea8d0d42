/**
 * Where the runtime serves a stream. Only this host: the address comes from
 * the runtime's answer, and a client's session must never be carried
 * elsewhere because of it.
 */
import { connect, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AgentError, errorText } from '../../base/errors.ts';
import { onAbort } from '../../base/on-abort.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** Throws `permission-denied` when the address is not on loopback or a unix socket. */
export function checkStreamTarget(url: URL): void {
  const { protocol, hostname } = url;
  if (protocol === 'unix:') return;
  if ((protocol === 'http:' || protocol === 'https:') && isLoopback(hostname)) return;
  throw new AgentError(
    'permission-denied',
    `cannot stream through "${url.protocol}//${url.host}": the runtime's streaming server is not on loopback`,
  );
}

function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname === '[::1]') return true;
  return isIP(hostname) === 4 && hostname.startsWith('127.');
}

/** Rejects with AgentError when the address does not answer; the connection has an error listener. */
export async function connectStreamTarget(url: URL, signal: AbortSignal): Promise<Duplex> {
  checkStreamTarget(url);
  const opened = Promise.withResolvers<void>();
  const { socket, readyOn } = await open(url);
  socket.once(readyOn, opened.resolve);
  socket.once('error', opened.reject);
  socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy(new Error('i/o timeout')));
  using _listening = onAbort(signal, () => socket.destroy(new Error('cancelled')));
  try {
    await opened.promise;
    socket.setTimeout(0);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    return socket;
  } catch (error) {
    socket.destroy();
    throw new AgentError('unavailable', `error dialing backend: ${errorText(error)}`, { cause: error });
  }
}

async function open(url: URL): Promise<{ socket: Socket; readyOn: 'connect' | 'secureConnect' }> {
  if (url.protocol === 'unix:')
    return { socket: connect({ path: url.pathname, allowHalfOpen: true }), readyOn: 'connect' };
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (url.protocol === 'http:')
    return { socket: connect({ host, port, allowHalfOpen: true }), readyOn: 'connect' };
  const tls = await import('node:tls');
  const name = isIP(host) === 0 ? { servername: host } : {};
  return { socket: tls.connect({ host, port, ...name }), readyOn: 'secureConnect' };
}
