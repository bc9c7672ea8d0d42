/**
 * Where the runtime serves a stream. Only this host: the address comes from
 * the runtime's answer, and a client's session must never be carried
 * elsewhere because of it.
 */
import { connect, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { onAbort } from '../../base/async/on-abort.ts';
import { AgentError, errorText } from '../../base/errors.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** Node reads no further while one piece waits: a reset that comes behind it discards what is buffered. */
const FLOW = { allowHalfOpen: true, readableHighWaterMark: 1 } as const;

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

/**
 * Rejects with AgentError when the address does not answer. The connection has an error listener, and is read to its
 * end even if the runtime takes no more of what is written.
 */
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
    ignoreFailedWrites(socket);
    return socket;
  } catch (error) {
    socket.destroy();
    throw new AgentError('unavailable', `error dialing backend: ${errorText(error)}`, { cause: error });
  }
}

/**
 * A runtime closes when a command has ended, whatever the client still sends. The write that fails then would make
 * Node destroy the connection, with the last of the output unread. Reading shows the end just as well.
 */
function ignoreFailedWrites(socket: Socket): void {
  const [write, writev] = [socket._write, socket._writev];
  socket._write = (chunk, encoding, done) => write.call(socket, chunk, encoding, () => done());
  socket._writev = (chunks, done) => writev?.call(socket, chunks, () => done());
}

async function open(url: URL): Promise<{ socket: Socket; readyOn: 'connect' | 'secureConnect' }> {
  if (url.protocol === 'unix:')
    return { socket: connect({ path: url.pathname, ...FLOW }), readyOn: 'connect' };
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (url.protocol === 'http:') return { socket: connect({ host, port, ...FLOW }), readyOn: 'connect' };
  const tls = await import('node:tls');
  const name = isIP(host) === 0 ? { servername: host } : {};
  return { socket: tls.connect({ host, port, ...name }), readyOn: 'secureConnect' };
}
