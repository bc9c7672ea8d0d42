/**
 * Writes one reply, whole or in chunks. A slow client slows down its own
 * writer; nothing is buffered for it.
 */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../base/async/clock.ts';
import type { HttpReply, ReplySink } from './http-exchange.ts';

export interface SendOptions {
  readonly clock: Clock;
  /** The longest a streamed reply may take; Infinity for as long as it lasts. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** True when the connection must not serve another request. */
  readonly close: boolean;
}

/** Resolves when the reply was handed to the socket. Rejects when a stream fails; the headers were sent by then. */
export async function sendReply(
  response: ServerResponse,
  reply: HttpReply,
  options: SendOptions,
): Promise<void> {
  if (response.destroyed) return;
  const closing = options.close ? { connection: 'close' } : {};
  if (reply.stream === undefined) {
    const length = { 'content-length': String(Buffer.byteLength(reply.body)) };
    response.writeHead(reply.status, { ...reply.headers, ...length, ...closing });
    response.end(reply.body);
    return;
  }
  response.writeHead(reply.status, { ...reply.headers, ...closing });
  // The headers are sent now: a client that follows must see that it is being served.
  response.flushHeaders();
  const { clock, timeoutMs } = options;
  using _limit =
    timeoutMs < Number.POSITIVE_INFINITY ? clock.startTimer(timeoutMs, () => response.destroy()) : undefined;
  await reply.stream(new ResponseSink(response, clock, reply.stallMs), options.signal);
  response.end();
}

class ResponseSink implements ReplySink {
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #stallMs: number | undefined;

  constructor(response: ServerResponse, clock: Clock, stallMs: number | undefined) {
    this.#response = response;
    this.#clock = clock;
    this.#stallMs = stallMs;
  }

  write(chunk: Uint8Array): Promise<void> {
    const response = this.#response;
    if (response.destroyed || response.closed) return Promise.reject(gone());
    if (chunk.length === 0 || response.write(chunk)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const stalled =
        this.#stallMs === undefined
          ? undefined
          : this.#clock.startTimer(this.#stallMs, () => response.destroy());
      const settle = (): void => {
        stalled?.[Symbol.dispose]();
        response.off('drain', settle);
        response.off('close', settle);
        if (response.closed || response.destroyed) reject(gone());
        else resolve();
      };
      response.once('drain', settle);
      response.once('close', settle);
    });
  }
}

function gone(): Error {
  return new Error('the client has gone');
}
