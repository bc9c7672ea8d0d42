/**
 * Stands before a registry and makes it bad: slow, broken in the middle of a
 * layer, or not there at all. What is to go wrong can be changed at any time.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type RegistryMood =
  | 'well'
  /** Layers stop in the middle and go on when it is well again. */
  | 'slow'
  /** Connections break in the middle of a layer, and again as soon as a client asks for the rest of it. */
  | 'breaking';

/** Smaller ones are manifests and configurations. */
const LAYER_BYTES = 256 * 1024;

export class RegistryProxy {
  readonly port: number;
  /** Layers that were begun. */
  layers = 0;
  #mood: RegistryMood = 'well';
  #held: (() => void)[] = [];
  readonly #broken = new Set<string>();
  readonly #target: number;
  #server: Server | undefined;

  private constructor(target: number, port: number, server: Server) {
    this.#target = target;
    this.port = port;
    this.#server = server;
    server.on('request', (incoming, outgoing) => this.#forward(incoming, outgoing));
  }

  static async listen(target: number): Promise<RegistryProxy> {
    const server = await listenOn(0);
    return new RegistryProxy(target, (server.address() as AddressInfo).port, server);
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  set mood(mood: RegistryMood) {
    this.#mood = mood;
    this.#broken.clear();
    if (mood === 'slow') return;
    for (const goOn of this.#held.splice(0)) goOn();
  }

  /** The listener is closed. */
  async goDown(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }

  async comeBack(): Promise<void> {
    const server = await listenOn(this.port);
    server.on('request', (incoming, outgoing) => this.#forward(incoming, outgoing));
    this.#server = server;
  }

  async close(): Promise<void> {
    this.mood = 'well';
    await this.goDown();
  }

  #forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method, url = '/', headers } = incoming;
    if (this.#broken.has(url)) {
      outgoing.destroy();
      return;
    }
    const upstream = request(
      { host: '127.0.0.1', port: this.#target, method, path: url, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        const size = Number(answer.headers['content-length'] ?? 0);
        if (method !== 'GET' || !url.includes('/blobs/') || size < LAYER_BYTES) answer.pipe(outgoing);
        else this.#sendLayer(url, answer, outgoing, size);
      },
    );
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
  }

  /** Half of it comes in any case. */
  #sendLayer(url: string, answer: IncomingMessage, outgoing: ServerResponse, size: number): void {
    this.layers++;
    let sent = 0;
    answer.on('data', (chunk: Buffer) => {
      outgoing.write(chunk);
      sent += chunk.length;
      if (sent < size / 2) return;
      if (this.#mood === 'breaking') {
        this.#broken.add(url);
        outgoing.destroy();
      } else if (this.#mood === 'slow' && !answer.isPaused()) {
        answer.pause();
        this.#held.push(() => answer.resume());
      }
    });
    answer.on('end', () => outgoing.end());
  }
}

async function listenOn(port: number): Promise<Server> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
