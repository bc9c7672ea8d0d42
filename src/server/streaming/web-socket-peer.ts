/**
 * The server's end of a WebSocket, with the package `ws` behind it, which is
 * loaded for the first session. Pings are answered, messages are passed on one
 * at a time, and nothing more is read until one was consumed. A client that
 * breaks the protocol is closed with 1002, one whose message is too long with
 * 1009.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { passMessages } from '../../base/async/pass-messages.ts';
import type { BareConnection, HttpRequest } from '../http/http-exchange.ts';
import { whenDrained } from './write-all.ts';

const MAX_MESSAGE_BYTES = 1024 * 1024;
const NORMAL_CLOSURE = 1000;

/** Whether a request begins a WebSocket; one that does not is refused before the runtime is asked. */
export function isHandshake({ method, headers }: Pick<HttpRequest, 'method' | 'headers'>): boolean {
  const key = String(headers['sec-websocket-key'] ?? '');
  const isKey = /^[+/0-9A-Za-z]{22}==$/.test(key);
  return method === 'GET' && headers['sec-websocket-version'] === '13' && isKey;
}

/** Answers the handshake and takes the connection over. Rejects when the client has gone. */
export async function acceptWebSocket(
  { method, headers }: Pick<HttpRequest, 'method' | 'headers'>,
  { socket, head }: BareConnection,
  protocol: string,
): Promise<WebSocketPeer> {
  const { WebSocketServer } = await import('ws');
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  // Added here: `SPDY/3.1+…` is no token of HTTP, so the package would refuse the client's offer.
  server.on('headers', (lines) => lines.push(`Sec-WebSocket-Protocol: ${protocol}`));
  return new Promise((resolve, reject) => {
    socket.once('close', () => reject(new Error('the client has gone')));
    const { 'sec-websocket-protocol': _, ...others } = headers;
    const request = { method, headers: { ...others, upgrade: 'websocket' } } as unknown as IncomingMessage;
    server.handleUpgrade(request, socket, Buffer.from(head), (opened) =>
      resolve(new WebSocketPeer(opened, socket)),
    );
  });
}

export class WebSocketPeer {
  readonly #socket: Duplex;
  readonly #opened: WebSocket;
  #closed = false;

  constructor(opened: WebSocket, socket: Duplex) {
    this.#opened = opened;
    this.#socket = socket;
    // What is wrong is known by the code it is closed with; without a listener it would end the process.
    opened.on('error', () => {});
  }

  /** Resolves when more may be sent; rejects when the client has gone. */
  send(...parts: readonly Uint8Array[]): Promise<void> {
    if (this.#closed) return Promise.resolve();
    if (this.#socket.destroyed || this.#socket.writableEnded)
      return Promise.reject(new Error('the connection is closed'));
    this.#opened.send(Buffer.concat(parts), { binary: true });
    return whenDrained(this.#socket);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#opened.close(NORMAL_CLOSURE);
    // The answer of the client is not waited for: what it still sends has no reader.
    if (!this.#socket.destroyed) this.#socket.end();
  }

  /** Passes every message on; resolves when the client closes. Rejects when a message cannot be passed on. */
  run(onMessage: (message: Buffer) => Promise<void>): Promise<void> {
    return passMessages(this.#opened, onMessage, (end) => {
      // An answered close ends our side; a lost connection closes it.
      this.#socket.once('finish', end);
      this.#opened.once('close', end);
    });
  }
}
