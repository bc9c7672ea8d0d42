/**
 * Copies bytes between two connections, both ways, until either is done.
 * Each side is read only as fast as the other takes it. What one side sent
 * before it closed still reaches the other.
 */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/async/clock.ts';
import { onAbort } from '../../base/async/on-abort.ts';
import { LINGER_MS } from './flush-client.ts';
import { IdleWatch } from './idle-watch.ts';

export interface JoinOptions {
  readonly clock: Clock;
  /** Both are closed after this long without a byte. 0 means never. */
  readonly idleTimeoutMs: number;
  readonly signal: AbortSignal;
}

export interface JoinResult {
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly endedBy: 'client' | 'runtime' | 'idle' | 'stop';
}

/**
 * Resolves when either has ended and the client's socket has all that the runtime sent; never rejects.
 * The runtime's connection is closed then. The client's is too, unless the runtime ended first: a client that still
 * sends must not meet a closed connection before it has read the rest (see http/linger.ts).
 */
export async function joinConnections(
  client: Duplex,
  runtime: Duplex,
  { clock, idleTimeoutMs, signal }: JoinOptions,
): Promise<JoinResult> {
  let bytesIn = 0;
  let bytesOut = 0;
  const ended = Promise.withResolvers<JoinResult['endedBy']>();
  const cut = Promise.withResolvers<JoinResult['endedBy']>();
  using cleanup = new DisposableStack();
  const idle = cleanup.use(new IdleWatch(clock, idleTimeoutMs, () => cut.resolve('idle')));
  cleanup.use(onAbort(signal, () => cut.resolve('stop')));
  client.on('data', (chunk: Buffer) => {
    bytesIn += chunk.length;
    idle.touch();
  });
  runtime.on('data', (chunk: Buffer) => {
    bytesOut += chunk.length;
    idle.touch();
  });
  const onClientEnd = (): void => {
    cleanup.use(clock.startTimer(LINGER_MS, () => ended.resolve('client')));
  };
  client.once('end', onClientEnd);
  // A client may end later than we stop to wait for it.
  cleanup.defer(() => client.off('end', onClientEnd));
  client.once('close', () => ended.resolve('client'));
  runtime.once('end', () => ended.resolve('runtime'));
  runtime.once('close', () => ended.resolve('runtime'));
  client.pipe(runtime);
  runtime.pipe(client);
  const endedBy = await Promise.race([ended.promise, cut.promise]);
  client.unpipe(runtime);
  runtime.unpipe(client);
  if (endedBy === 'runtime') await Promise.race([flush(client), cut.promise]);
  if (!client.writableFinished) client.destroy();
  runtime.destroy();
  return { bytesIn, bytesOut, endedBy };
}

/** However long it takes: what ends the wait for a client that reads nothing is the idle timeout, as before. */
async function flush(client: Duplex): Promise<void> {
  if (client.destroyed || client.writableFinished) return;
  const flushed = Promise.withResolvers<void>();
  client.once('close', flushed.resolve);
  client.once('finish', flushed.resolve);
  client.resume();
  client.end();
  await flushed.promise;
}
