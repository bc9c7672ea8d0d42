/** What the query of a streaming request asks for, decoded; a problem is a 400. */
import type { StreamSet } from '../../ports/runtime/streaming-runtime.ts';
import type { HttpRequest } from '../http/http-exchange.ts';

export type Parsed<T> = { readonly value: T } | { readonly problem: string };

export function parseStreams(query: URLSearchParams): Parsed<StreamSet> {
  const on = (name: string): boolean => query.get(name) === '1';
  const tty = on('tty');
  // A terminal has one output.
  const streams = { stdin: on('input'), stdout: on('output'), stderr: on('error') && !tty, tty };
  if (!streams.stdin && !streams.stdout && !streams.stderr)
    return { problem: 'you must specify at least 1 of stdin, stdout, stderr' };
  return { value: streams };
}

/** Ports in the query count for WebSockets without SPDY inside; SPDY names them stream by stream. */
export function parsePorts({ query, headers }: Pick<HttpRequest, 'query' | 'headers'>): Parsed<number[]> {
  if (!isWebSocket(headers) || tunnelProtocol(headers) !== undefined) return { value: [] };
  const texts = query.getAll('port');
  if (texts.length === 0) return { problem: 'query parameter "port" is required' };
  const ports: number[] = [];
  for (const text of texts) {
    if (text === '') return { problem: 'query parameter "port" cannot be empty' };
    for (const part of text.split(',')) {
      const port = /^\d{1,5}$/.test(part) ? Number(part) : Number.NaN;
      if (Number.isNaN(port) || port > 65535)
        return { problem: `unable to parse ${JSON.stringify(text)} as a port` };
      if (port < 1) return { problem: `port ${JSON.stringify(text)} must be > 0` };
      ports.push(port);
    }
  }
  return { value: ports };
}

export function isWebSocket(headers: HttpRequest['headers']): boolean {
  return String(headers['upgrade'] ?? '').toLowerCase() === 'websocket';
}

export function webSocketProtocols(headers: HttpRequest['headers']): readonly string[] {
  return String(headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== '');
}

const TUNNEL = 'SPDY/3.1+';

/** The protocol inside a tunnel of SPDY in a WebSocket, such as `portforward.k8s.io`. */
export function tunnelProtocol(headers: HttpRequest['headers']): string | undefined {
  if (!isWebSocket(headers)) return undefined;
  const offered = webSocketProtocols(headers).find(
    (protocol) => protocol.startsWith(TUNNEL) && protocol.endsWith('.k8s.io'),
  );
  return offered?.slice(TUNNEL.length);
}
