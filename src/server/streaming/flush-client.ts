/**
 * The end of a client's connection: what was written still reaches it. A
 * client that reads is waited for until `cut`; one that ended the session
 * itself, or was cut already, gets a moment. After that it is destroyed: no
 * session waits without limit for a client that has stopped reading.
 */
import type { Duplex } from 'node:stream';
import { type Clock, sleep } from '../../base/async/clock.ts';

/** A client that sends no more may wait for answers to what it has sent; the runtime gets so long for them. */
export const LINGER_MS = 10_000;

/** Resolves when all is with the client, or it is destroyed. The writing side was ended before. */
export async function flushClient(client: Duplex, clock: Clock, cut?: Promise<unknown>): Promise<void> {
  if (client.destroyed || client.writableFinished) return;
  const over = new AbortController();
  const done = Promise.withResolvers<void>();
  const end = (): void => {
    over.abort();
    done.resolve();
  };
  client.once('close', end).once('finish', end);
  // What it still sends is ignored, but must not keep its end from being seen.
  client.resume();
  await Promise.race([cut ?? sleep(clock, LINGER_MS, over.signal), done.promise]);
  if (!client.writableFinished) client.destroy();
}
