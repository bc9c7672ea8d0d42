/**
 * Copies bytes between two connections, both ways, until either is done.
 * Each side is read only as fast as the other takes it. What one side sent
 * before it closed still reaches the other.
 */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { onAbort } from '../../base/on-abort.ts';
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

/** How long the remaining bytes may take to be delivered after one side has ended. */
const LINGER_MS = 10_000;

/** Resolves when both are closed; never rejects. */
export async function joinConnections(
  client: Duplex,
  runtime: Duplex,
  { clock, idleTimeoutMs, signal }: JoinOptions,
): Promise<JoinResult> {
  let bytesIn = 0;
  let bytesOut = 0;
  const ended = Promise.withResolvers<JoinResult['endedBy']>();
  using timers = new DisposableStack();
  const idle = timers.use(new IdleWatch(clock, idleTimeoutMs, () => ended.resolve('idle')));
  const endSoon = (by: JoinResult['endedBy']) => (): void => {
    timers.use(clock.startTimer(LINGER_MS, () => ended.resolve(by)));
  };
  const listening = onAbort(signal, () => ended.resolve('stop'));
  client.on('data', (chunk: Buffer) => {
    bytesIn += chunk.length;
    idle.touch();
  });
  runtime.on('data', (chunk: Buffer) => {
    bytesOut += chunk.length;
    idle.touch();
  });
  client.once('close', () => ended.resolve('client'));
  client.once('end', endSoon('client'));
  // Its last byte was handed to the client's socket.
  client.once('finish', () => ended.resolve('runtime'));
  runtime.once('close', () => ended.resolve('runtime'));
  runtime.once('end', endSoon('runtime'));
  client.pipe(runtime);
  runtime.pipe(client);
  const endedBy = await ended.promise;
  listening[Symbol.dispose]();
  client.unpipe(runtime);
  runtime.unpipe(client);
  if (endedBy === 'runtime') await flush(client, clock);
  client.destroy();
  runtime.destroy();
  return { bytesIn, bytesOut, endedBy };
}

/** The runtime's side may be closed before its last bytes have left for the client. */
async function flush(client: Duplex, clock: Clock): Promise<void> {
  if (client.destroyed || client.writableFinished) return;
  const flushed = Promise.withResolvers<void>();
  using _limit = clock.startTimer(LINGER_MS, flushed.resolve);
  client.once('close', flushed.resolve);
  client.once('finish', flushed.resolve);
  client.end();
  await flushed.promise;
}
