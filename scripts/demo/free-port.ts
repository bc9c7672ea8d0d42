/**
 * Ports for programs that are started by several processes of ours at once, and
 * started again on the same ports. The system's own choice would do for neither:
 * it gives a port to another as soon as nothing listens there.
 *
 * Each process has blocks of ports to itself: it listens on the first port of a
 * block for as long as it lives. They lie below those that the system gives to
 * outgoing connections.
 */
import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

const FIRST = 20_000;
const BLOCKS = 200;
const BLOCK = 50;

/** Ports of our last block that were not given yet, the next one last. */
const left: number[] = [];

/** A TCP port on the loopback address that is free; the wanted one if it is. Never the same one twice. */
export async function freePort(wanted?: number): Promise<number> {
  if (wanted !== undefined && (await isFree(wanted))) return wanted;
  for (;;) {
    const port = left.pop();
    if (port === undefined) left.push(...(await takeBlock()));
    else if (await isFree(port)) return port;
  }
}

/** The ports of a block that no other process has, in descending order. */
async function takeBlock(): Promise<number[]> {
  const start = randomInt(BLOCKS);
  for (let n = 0; n < BLOCKS; n++) {
    const first = FIRST + ((start + n) % BLOCKS) * BLOCK;
    const guard = await listen(first);
    // It is no reason for the process to go on.
    guard?.unref();
    if (guard !== undefined)
      return Array.from({ length: BLOCK - 1 }, (_, index) => first + BLOCK - 1 - index);
  }
  throw new Error(`no free ports from ${FIRST} to ${FIRST + BLOCKS * BLOCK - 1}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = await listen(port);
  if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  return server !== undefined;
}

function listen(port: number): Promise<Server | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
