/**
 * A WebSocket to the agent, with the package `ws` behind it, which is loaded
 * by the commands that need one. Messages are passed on one at a time, and
 * nothing more is read until one was consumed.
 */
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { WebSocket } from 'ws';
import { passMessages } from '../../../base/async/pass-messages.ts';

/** More than the agent sends in one message. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** So much may wait to be sent before the sender should pause. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** A connection that carries whole messages both ways. */
export interface MessageConnection {
  /** False when much waits to be sent: pause until `drained`. What is sent after the end is dropped. */
  send(message: Uint8Array): boolean;
  /** Resolves when everything was handed to the system, or the connection is closed. */
  drained(): Promise<void>;
  /** Passes every message on; resolves when the far end closes. Rejects when a message cannot be passed on. */
  run(onMessage: (message: Buffer) => Promise<void>): Promise<void>;
  close(): void;
}

/** Rejects with the error of the connection, or with what `toRefusal` makes of a reply that is no upgrade. */
export async function openWebSocket(
  socketPath: string,
  path: string,
  protocol: string,
  toRefusal: (response: IncomingMessage) => Promise<Error>,
): Promise<MessageConnection> {
  const { WebSocket } = await import('ws');
  const opened = new WebSocket(`ws://localhost${path}`, [protocol], {
    createConnection: () => connect(socketPath),
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  // Messages may come right behind the handshake, before anything listens for them.
  opened.once('open', () => opened.pause());
  return new Promise((resolve, reject) => {
    opened.once('open', () => resolve(new WebSocketClient(opened)));
    opened.on('error', reject);
    opened.once('unexpected-response', (_request, response) => void toRefusal(response).then(reject, reject));
  });
}

class WebSocketClient implements MessageConnection {
  readonly #opened: WebSocket;
  #sent: Promise<void> = Promise.resolve();

  constructor(opened: WebSocket) {
    this.#opened = opened;
  }

  send(message: Uint8Array): boolean {
    if (this.#opened.readyState !== this.#opened.OPEN) return true;
    this.#sent = new Promise((resolve) => this.#opened.send(message, { binary: true }, () => resolve()));
    return this.#opened.bufferedAmount < MAX_WAITING_BYTES;
  }

  drained(): Promise<void> {
    return this.#sent;
  }

  run(onMessage: (message: Buffer) => Promise<void>): Promise<void> {
    const opened = this.#opened;
    const passed = passMessages(opened, onMessage, (end) => opened.once('close', end));
    opened.resume();
    return passed;
  }

  close(): void {
    this.#opened.terminate();
  }
}
