/**
 * The GET of probes and hooks. A connection of its own for each request, no
 * certificate checks (which certificate a container serves is its own choice)
 * and redirects only within the host, so that a container cannot send the
 * node elsewhere.
 */
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import type { Clock } from '../../base/async/clock.ts';
import { Deadline } from '../../base/async/deadline.ts';
import { errorText } from '../../base/errors.ts';
import { type HttpGetRequest, joinHostPort, renderUrl } from '../../core/pod/http-action.ts';
import type {
  HttpAnswer,
  PlainHttpServer,
  ProbeCallOptions,
  TransportFailure,
} from '../../ports/runtime/probe-transport.ts';
import { renderConnectionError } from './connection-errors.ts';

const MAX_BODY_BYTES = 10 * 1024;
const MAX_HEADER_BYTES = 1024 * 1024;
const MAX_REDIRECTS = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** What OpenSSL makes of an answer that begins with `HTTP/`. */
const PLAIN_HTTP_ANSWER = /:(wrong version number|packet length too long|http request):/;

export async function httpGet(
  clock: Clock,
  first: HttpGetRequest,
  options: ProbeCallOptions,
): Promise<HttpAnswer | PlainHttpServer | TransportFailure> {
  using deadline = new Deadline(clock, options);
  let request = first;
  for (let redirects = 0; ; redirects++) {
    let answer: Answer;
    try {
      answer = await send(request, deadline.signal);
    } catch (error) {
      return toFailure(request, error, deadline.expired);
    }
    const next = toRedirect(first, request, answer);
    if (next === undefined) return { kind: 'answer', status: answer.status, body: answer.body };
    if (redirects === MAX_REDIRECTS - 1)
      return { kind: 'failure', message: `Get "${renderUrl(next)}": stopped after 10 redirects` };
    request = next;
  }
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly location: string | undefined;
}

/** Sends one request and reads the beginning of the answer; the connection is gone afterwards. */
async function send(request: HttpGetRequest, signal: AbortSignal): Promise<Answer> {
  const options: RequestOptions & { rejectUnauthorized: boolean; servername: string } = {
    host: request.host,
    port: request.port,
    path: request.path,
    headers: toNodeHeaders(request.headers),
    agent: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
    rejectUnauthorized: false,
    // Otherwise the name for TLS would be taken from the Host header.
    servername: isIP(request.host) === 0 ? request.host : '',
  };
  const call = request.scheme === 'https' ? requestHttps(options) : requestHttp(options);
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      call.once('response', resolve);
      call.on('error', reject);
      call.end();
    });
    const body = await readBeginning(response);
    return { status: response.statusCode ?? 0, body, location: response.headers.location };
  } finally {
    call.destroy();
  }
}

async function readBeginning(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MAX_BODY_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES).toString();
}

/** The request a redirect leads to; undefined when the answer is not a redirect or leads to another host. */
function toRedirect(
  first: HttpGetRequest,
  request: HttpGetRequest,
  { status, location }: Answer,
): HttpGetRequest | undefined {
  if (!REDIRECTS.has(status) || location === undefined || location === '') return undefined;
  const base = renderUrl(request);
  if (!URL.canParse(location, base)) return undefined;
  const url = new URL(location, base);
  const scheme = url.protocol === 'https:' ? 'https' : url.protocol === 'http:' ? 'http' : undefined;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (scheme === undefined || host !== new URL(renderUrl(first)).hostname.replace(/^\[|\]$/g, ''))
    return undefined;
  const port = Number(url.port) || (scheme === 'https' ? 443 : 80);
  // A full address in the redirect also names the host to ask for.
  const isFull = /^([a-z][a-z0-9+.-]*:)?\/\//i.test(location);
  const headers = request.headers.map(([name, value]): [string, string] =>
    isFull && name === 'Host' ? [name, url.host] : [name, value],
  );
  return { scheme, host, port, path: `${url.pathname}${url.search}`, headers };
}

function toNodeHeaders(headers: HttpGetRequest['headers']): Record<string, string | string[]> {
  const merged = new Map<string, { name: string; values: string[] }>();
  for (const [name, value] of headers) {
    const known = merged.get(name.toLowerCase());
    if (known === undefined) merged.set(name.toLowerCase(), { name, values: [value] });
    else known.values.push(value);
  }
  const toValue = (values: string[]): string | string[] => (values.length === 1 ? String(values[0]) : values);
  return Object.fromEntries([...merged.values()].map(({ name, values }) => [name, toValue(values)]));
}

function toFailure(
  request: HttpGetRequest,
  error: unknown,
  expired: boolean,
): PlainHttpServer | TransportFailure {
  const prefix = `Get "${renderUrl(request)}"`;
  if (expired) {
    const why = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
    return { kind: 'failure', message: `${prefix}: ${why}` };
  }
  if (request.scheme === 'https' && PLAIN_HTTP_ANSWER.test(errorText(error)))
    return { kind: 'plain-http', message: `${prefix}: http: server gave HTTP response to HTTPS client` };
  const why = renderConnectionError(error, joinHostPort(request.host, request.port));
  return { kind: 'failure', message: `${prefix}: ${why}` };
}
