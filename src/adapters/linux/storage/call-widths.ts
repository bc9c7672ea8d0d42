/** How many of the process's threads calls at places that may not answer can have. */
import type { CallWidths } from './storage-calls.ts';

/** What libuv has when the environment does not say. */
const DEFAULT_THREADS = 4;
/** With fewer there is no room for two servers. */
const FEW = 8;
/** So that one slow walk does not keep others from the same server. */
const PER_SERVER = 2;

/**
 * Half of the threads are for file systems that may hang, a quarter for the
 * machine's own; the rest is for everything else. `threads` is UV_THREADPOOL_SIZE.
 */
export function toCallWidths(threads: string | undefined): CallWidths {
  const count = threads !== undefined && /^[1-9]\d{0,3}$/.test(threads) ? Number(threads) : DEFAULT_THREADS;
  if (count < FEW) return { own: Math.max(1, count - 2), storage: 1, server: 1 };
  const storage = Math.floor(count / 2);
  return {
    own: Math.floor(count / 4),
    storage,
    server: PER_SERVER,
  };
}
