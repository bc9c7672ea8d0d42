/**
 * Talks to the agent over its local socket: plain HTTP on a unix path. Every
 * failure is an AgentError whose message can be shown as it is.
 */
import { type IncomingMessage, request } from 'node:http';
import { AgentError, errorText } from '../../../base/errors.ts';
import { type MessageConnection, openWebSocket } from './web-socket-client.ts';

const LAST_BYTES = 16_384;

export class LocalClient {
  readonly #socketPath: string;
  readonly #rootDir: string;

  constructor(socketPath: string, rootDir: string) {
    this.#socketPath = socketPath;
    this.#rootDir = rootDir;
  }

  /** Of the kubelet that is asked. */
  get rootDir(): string {
    return this.#rootDir;
  }

  async getJson<T>(path: string): Promise<T> {
    return readJson<T>(await this.#send('GET', path));
  }

  /** Asks for something to be done. */
  async postJson<T>(path: string): Promise<T> {
    return readJson<T>(await this.#send('POST', path));
  }

  /** The body as it comes. Ends with the reply, or when `signal` aborts. */
  async *stream(path: string, signal?: AbortSignal): AsyncGenerator<Buffer> {
    yield* this.#pieces(await this.#send('GET', path, signal), signal);
  }

  async *#pieces(response: IncomingMessage, signal?: AbortSignal): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of response) yield chunk as Buffer;
    } catch (error) {
      if (signal?.aborted !== true) throw this.#toError(error);
    }
  }

  /** One document per line, as watches write them. Resolves when the agent has begun to answer. */
  async openLines<T>(path: string, signal: AbortSignal): Promise<AsyncGenerator<T>> {
    return this.#lines<T>(await this.#send('GET', path, signal), signal);
  }

  async *#lines<T>(response: IncomingMessage, signal: AbortSignal): AsyncGenerator<T> {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of this.#pieces(response, signal)) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = parts.pop() ?? '';
      for (const line of parts) if (line !== '') yield JSON.parse(line) as T;
    }
  }

  /** Opens a WebSocket with the given sub-protocol. */
  async openWebSocket(path: string, protocol: string): Promise<MessageConnection> {
    try {
      return await openWebSocket(this.#socketPath, path, protocol, toRefusal);
    } catch (error) {
      throw this.#toError(error);
    }
  }

  #send(method: 'GET' | 'POST', path: string, signal?: AbortSignal): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const asked = request({ socketPath: this.#socketPath, method, path, signal });
      asked.once('response', (response) => {
        if (response.statusCode === 200) resolve(response);
        else void toRefusal(response).then(reject, reject);
      });
      asked.once('error', (error) => reject(this.#toError(error)));
      asked.end();
    });
  }

  #toError(error: unknown): AgentError {
    if (error instanceof AgentError) return error;
    const errno = error instanceof Error && 'code' in error ? error.code : undefined;
    const place = JSON.stringify(this.#socketPath);
    if (errno === 'ENOENT' || errno === 'ECONNREFUSED') {
      const hint = `is the kubelet running, and is ${JSON.stringify(this.#rootDir)} its root directory (--root-dir)?`;
      return new AgentError('unavailable', `no kubelet listens on ${place}: ${hint}`);
    }
    if (errno === 'EACCES')
      return new AgentError('permission-denied', `cannot open ${place}: only root may talk to the kubelet`);
    if (errno === 'ECONNRESET' || errno === 'EPIPE')
      return new AgentError('unavailable', `the kubelet has closed the connection on ${place}`);
    return new AgentError('unavailable', `cannot talk to the kubelet on ${place}: ${errorText(error)}`);
  }
}

async function readJson<T>(response: IncomingMessage): Promise<T> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as T;
}

/** The words of a reply that is no success. */
async function toRefusal(response: IncomingMessage): Promise<AgentError> {
  let text = '';
  for await (const chunk of response) if (text.length < LAST_BYTES) text += String(chunk);
  const status = response.statusCode ?? 0;
  const message = text.trim() === '' ? `the kubelet answered ${status}` : text.trim();
  return new AgentError(status === 404 ? 'not-found' : 'failed-precondition', message);
}
