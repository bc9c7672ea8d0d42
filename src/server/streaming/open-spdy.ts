/** Opens a SPDY connection to the runtime's streaming server; redirects are treated as refusals. */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/async/clock.ts';
import { Deadline } from '../../base/async/deadline.ts';
import { type ResponseHead, readResponseHead } from './response-head.ts';
import { connectStreamTarget } from './stream-target.ts';

/** What a runtime gets to answer a request to upgrade. */
export const HEAD_TIMEOUT_MS = 30_000;

export interface SpdyOpening {
  readonly socket: Duplex;
  readonly answer: ResponseHead;
}

/** Resolves with any answer, 101 or not; the caller owns the connection. Rejects when there is none. */
export async function openSpdy(
  url: URL,
  protocols: readonly string[],
  signal: AbortSignal,
  clock: Clock,
): Promise<SpdyOpening> {
  const socket = await connectStreamTarget(url, signal);
  try {
    const lines = [
      `POST ${url.protocol === 'unix:' ? '/' : `${url.pathname}${url.search}`} HTTP/1.1`,
      `Host: ${url.host || 'localhost'}`,
      'Connection: Upgrade',
      'Upgrade: SPDY/3.1',
      ...protocols.map((protocol) => `X-Stream-Protocol-Version: ${protocol}`),
      'Content-Length: 0',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    using deadline = new Deadline(clock, { timeoutMs: HEAD_TIMEOUT_MS, signal });
    return { socket, answer: await readResponseHead(socket, deadline.signal) };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
