/**
 * Ends a connection without a reset. A socket that is closed while its client still sends answers with one, and what
 * the client, or a proxy on the way, has not read by then is lost to it: for `kubectl exec` the last of the output and
 * the exit code. So we end our side, and discard what comes until the client has closed.
 */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/async/clock.ts';
import { onAbort } from '../../base/async/on-abort.ts';

/** Long enough for a proxy to pass on what we sent; a client that never closes costs one connection meanwhile. */
const LINGER_MS = 60_000;

/** Resolves when the client has closed, after a minute, or when `signal` aborts; never rejects. */
export async function linger(socket: Duplex, clock: Clock, signal: AbortSignal): Promise<void> {
  if (socket.destroyed) return;
  const closed = Promise.withResolvers<void>();
  using _limit = clock.startTimer(LINGER_MS, closed.resolve);
  using _abort = onAbort(signal, closed.resolve);
  socket.once('close', closed.resolve);
  // A listener, because an iterator may still hold the stream back.
  socket.on('data', () => {});
  socket.resume();
  if (!socket.writableEnded) socket.end();
  await closed.promise;
}
