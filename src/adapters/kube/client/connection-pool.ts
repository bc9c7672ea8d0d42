/**
 * As many connections as the requests need. The API server allows about 100
 * streams on a connection, and every watch holds one for minutes: request 101
 * on the same connection would wait in silence. So a request goes to the first
 * connection with room, a new one is made when there is none, and one that has
 * nothing left to do is closed, except the first.
 */
import type { ApiConnection, ApiLink } from './api-connection.ts';
import { type ApiHttpRequest, type HttpResponse, TransportError } from './http-exchange.ts';

export class ConnectionPool implements ApiLink {
  readonly #create: () => ApiConnection;
  readonly #connections: ApiConnection[] = [];
  #pastConnects = 0;
  #closed = false;

  /** `create` makes a connection object; it connects when first used. */
  constructor(create: () => ApiConnection) {
    this.#create = create;
  }

  get connects(): number {
    return this.#connections.reduce((sum, { connects }) => sum + connects, this.#pastConnects);
  }

  /** How many connections there are now. */
  get size(): number {
    return this.#connections.length;
  }

  async exchange(request: ApiHttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    for (;;) {
      if (this.#closed) throw new TransportError('unconnected', 'the client is closed');
      const connection = this.#withRoom();
      try {
        return await connection.exchange(request, signal);
      } catch (error) {
        // More came than fit while it connected; each round fills at least one connection.
        if (!(error instanceof TransportError) || error.delivery !== 'full') throw error;
      } finally {
        if (connection.load === 0) this.#drop(connection);
      }
    }
  }

  checkPeer(): void {
    for (const connection of this.#connections) connection.checkPeer();
  }

  renew(reason: string): void {
    for (const connection of this.#connections) connection.renew(reason);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  #withRoom(): ApiConnection {
    const found = this.#connections.find(({ full }) => !full);
    if (found !== undefined) return found;
    const made = this.#create();
    this.#connections.push(made);
    return made;
  }

  #drop(connection: ApiConnection): void {
    const at = this.#connections.indexOf(connection);
    if (at < 1) return;
    this.#connections.splice(at, 1);
    this.#pastConnects += connection.connects;
    void connection.close();
  }
}
