/**
 * A TCP relay that can stop forwarding while both of its connections stay
 * open: to each end the other looks alive but silent, as when packets are
 * dropped or a machine vanished without closing its connections.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class StallableProxy {
  readonly #targetPort: number;
  readonly #pairs = new Set<{ client: Socket; upstream: Socket }>();
  #server: Server | undefined;
  #port = 0;
  #stalled = false;
  #accepted = 0;

  constructor(targetPort: number) {
    this.#targetPort = targetPort;
  }

  get port(): number {
    return this.#port;
  }

  get accepted(): number {
    return this.#accepted;
  }

  async start(): Promise<void> {
    const server = createServer((client) => this.#relay(client));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Forwards nothing any more on the connections there are; new ones work. */
  stallOpenConnections(): void {
    for (const { client, upstream } of this.#pairs) for (const socket of [client, upstream]) socket.pause();
  }

  /** The server's side is cut without notice to the client: a half-open connection. */
  halfOpen(): void {
    for (const { client, upstream } of this.#pairs) {
      client.pause();
      upstream.removeAllListeners('close');
      upstream.destroy();
    }
  }

  /** New connections are accepted but nothing comes of them. */
  set stallNewConnections(value: boolean) {
    this.#stalled = value;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    for (const { client, upstream } of this.#pairs) {
      client.destroy();
      upstream.destroy();
    }
    await closed;
  }

  #relay(client: Socket): void {
    this.#accepted++;
    const upstream = connect(this.#targetPort, '127.0.0.1');
    const pair = { client, upstream };
    this.#pairs.add(pair);
    const forward = (from: Socket, to: Socket): void => {
      from.on('data', (chunk) => to.write(chunk));
      from.on('error', () => {});
      from.once('close', () => to.destroy());
    };
    forward(client, upstream);
    forward(upstream, client);
    client.once('close', () => this.#pairs.delete(pair));
    if (this.#stalled) for (const socket of [client, upstream]) socket.pause();
  }
}
