/**
 * One GET of a manifest: follows redirects as Go's default client does, stops
 * at a size limit and at the caller's signal. Everything that is not an answer
 * of status 200 is an AgentError. No proxy is used.
 */
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { AgentError, errorText } from '../../base/errors.ts';

export type HeaderLists = Readonly<Record<string, readonly string[]>>;

export interface ManifestRequest {
  readonly url: string;
  readonly headers: HeaderLists;
  readonly maxBytes: number;
}

const MAX_REDIRECTS = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Meant for one host: they are dropped when a redirect leads to another one. */
const CONFIDENTIAL: ReadonlySet<string> = new Set([
  'authorization',
  'www-authenticate',
  'cookie',
  'cookie2',
  'proxy-authorization',
  'proxy-authenticate',
]);

/** The body. Rejects with AgentError; text sent by the server never appears in the message. */
export async function fetchManifest(request: ManifestRequest, signal: AbortSignal): Promise<Buffer> {
  let target = parseTarget(request.url);
  const origin = target.hostname;
  let headers = request.headers;
  for (let redirects = 0; ; redirects++) {
    const response = await open(target, headers, signal);
    const { statusCode = 0, statusMessage = '' } = response;
    const { location } = response.headers;
    if (!REDIRECTS.has(statusCode) || location === undefined) {
      if (statusCode === 200) return await readBody(response, request.maxBytes);
      response.destroy();
      throw new AgentError('unavailable', `cannot read the manifest: ${statusCode} ${statusMessage}`);
    }
    response.destroy();
    if (redirects === MAX_REDIRECTS)
      throw new AgentError(
        'unavailable',
        `cannot read the manifest: stopped after ${MAX_REDIRECTS} redirects`,
      );
    target = parseTarget(location, target);
    if (!isWithin(target.hostname, origin)) headers = withoutConfidential(headers);
  }
}

function parseTarget(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new AgentError('invalid-argument', 'cannot read the manifest: not a URL of http or https');
  return url;
}

function open(url: URL, headers: HeaderLists, signal: AbortSignal): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const sent = Object.entries(headers)
    .filter(([name]) => name.toLowerCase() !== 'host')
    .map(([name, values]): [string, string[]] => [name, [...values]]);
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(toFailure(error));
    try {
      // A connection per request: requests are many seconds apart.
      send(url, { headers: Object.fromEntries(sent), signal, agent: false }, resolve)
        .on('error', fail)
        .end();
    } catch (error) {
      fail(error);
    }
  });
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes)
        throw new AgentError('invalid-argument', 'cannot read the manifest: it is larger than 10 MiB');
      chunks.push(chunk);
    }
  } catch (error) {
    throw toFailure(error);
  }
  return Buffer.concat(chunks);
}

function toFailure(error: unknown): AgentError {
  if (error instanceof AgentError) return error;
  return new AgentError('unavailable', `cannot read the manifest: ${errorText(error)}`, { cause: error });
}

function isWithin(host: string, origin: string): boolean {
  return host === origin || host.endsWith(`.${origin}`);
}

function withoutConfidential(headers: HeaderLists): HeaderLists {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !CONFIDENTIAL.has(name.toLowerCase())),
  );
}
