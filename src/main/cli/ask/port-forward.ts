/**
 * port-forward: a local port for each port of the pod. Every connection gets
 * a WebSocket of its own (`v4.channel.k8s.io`): channel 0 carries the data,
 * channel 1 what is wrong; each begins with the port in two bytes.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { errorText } from '../../../base/errors.ts';
import type { LocalClient } from './local-client.ts';

const PROTOCOL = 'v4.channel.k8s.io';

export interface ForwardedPort {
  /** 0 takes a free one. */
  readonly local: number;
  readonly remote: number;
}

/** `8080`, `9000:8080` or `:8080`; undefined for anything else. */
export function parseForwardedPort(text: string): ForwardedPort | undefined {
  const match = /^(?:(\d{0,5}):)?(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const [, before, after = ''] = match;
  const remote = Number(after);
  const local = before === undefined ? remote : Number(before);
  return remote < 1 || remote > 65535 || local > 65535 ? undefined : { local, remote };
}

/** Listens on loopback and forwards every connection. Resolves to the server once it accepts. */
export async function forwardPort(
  client: LocalClient,
  path: string,
  { local, remote }: ForwardedPort,
  onProblem: (text: string) => void,
): Promise<{ readonly port: number; readonly server: Server }> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    carry(client, `${path}?port=${remote}`, socket)
      .catch((error: unknown) =>
        onProblem(`an error occurred forwarding ${local} -> ${remote}: ${errorText(error)}`),
      )
      .finally(() => socket.destroy());
  });
  server.listen(local, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, server };
}

async function carry(client: LocalClient, path: string, local: Socket): Promise<void> {
  const connection = await client.openWebSocket(path, PROTOCOL);
  local.on('data', (chunk: Buffer) => {
    if (connection.send(Buffer.concat([Buffer.of(0), chunk]))) return;
    local.pause();
    void connection.drained().then(() => local.resume());
  });
  local.once('close', () => connection.close());
  const opened = new Set<number>();
  try {
    await connection.run(async (message) => {
      const channel = message[0] ?? 0;
      // The first message of a channel only says which port it is for.
      if (!opened.has(channel)) {
        opened.add(channel);
        return;
      }
      const data = message.subarray(1);
      if (channel === 1 && data.length > 0) throw new Error(data.toString().trim());
      if (channel === 0 && data.length > 0 && !local.write(data)) await once(local, 'drain');
    });
  } finally {
    connection.close();
    local.end();
  }
}
