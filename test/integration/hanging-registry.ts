/**
 * A registry that takes a request and never answers, as a broken network
 * would: a pull from it ends only when the caller cancels it.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface HangingRegistry extends AsyncDisposable {
  /** Of an image that never arrives. */
  readonly image: string;
  /** Requests so far. */
  readonly asked: number;
}

export async function startHangingRegistry(): Promise<HangingRegistry> {
  let asked = 0;
  const sockets = new Set<Socket>();
  const server = createServer(() => void asked++);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    image: `127.0.0.1:${port}/never/there:1`,
    get asked() {
      return asked;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
