/**
 * Carries an upgraded connection to the runtime's streaming server: sends
 * the client's request there, and from the 101 on copies bytes. A refusal is
 * passed on; a redirect is an error, never followed.
 */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/async/clock.ts';
import { Deadline } from '../../base/async/deadline.ts';
import { onAbort } from '../../base/async/on-abort.ts';
import { errorText } from '../../base/errors.ts';
import type { StreamSet } from '../../ports/runtime/streaming-runtime.ts';
import { TOKEN_PROTOCOL } from '../auth/bearer-token.ts';
import type { BareConnection, HttpRequest } from '../http/http-exchange.ts';
import { type JoinResult, joinConnections } from './join-connections.ts';
import { HEAD_TIMEOUT_MS } from './open-spdy.ts';
import { readResponseHead } from './response-head.ts';
import { connectStreamTarget } from './stream-target.ts';

export interface ProxySettings {
  readonly clock: Clock;
  readonly idleTimeoutMs: number;
  /** What the runtime was asked to serve; for carriers that open the streams themselves. */
  readonly streams?: StreamSet | undefined;
}

/** The outcome of the call, for the audit line. */
export interface StreamOutcome extends Partial<JoinResult> {
  readonly status: number;
  readonly problem?: string;
}

const RELAY_TIMEOUT_MS = 10_000;

/** Never rejects; a failure is sent to the client and is in the outcome. */
export async function proxyUpgrade(
  url: URL,
  request: HttpRequest,
  { socket, head }: BareConnection,
  signal: AbortSignal,
  settings: ProxySettings,
): Promise<StreamOutcome> {
  let runtime: Duplex | undefined;
  try {
    runtime = await connectStreamTarget(url, signal);
    runtime.write(renderRequest(url, request));
    if (head.length > 0) socket.unshift(head);
    const answer = await withDeadline(settings.clock, HEAD_TIMEOUT_MS, signal, (limit) =>
      readResponseHead(runtime as Duplex, limit),
    );
    const { status } = answer;
    if (status !== 101 && status < 400)
      return refuseUpgrade(socket, `invalid upgrade response: status code ${status}`);
    socket.write(answer.raw);
    if (answer.rest.length > 0) socket.write(answer.rest);
    if (status !== 101) {
      await withDeadline(settings.clock, RELAY_TIMEOUT_MS, signal, (limit) =>
        relay(runtime as Duplex, socket, limit),
      );
      return { status };
    }
    return { status, ...(await joinConnections(socket, runtime, { ...settings, signal })) };
  } catch (error) {
    return refuseUpgrade(socket, errorText(error));
  } finally {
    runtime?.destroy();
  }
}

/** An answer of our own on a bare connection. */
export function refuseUpgrade(socket: Duplex, problem: string, status = 500): StreamOutcome {
  const body = `${problem}\n`;
  const text = status === 400 ? 'Bad Request' : 'Internal Server Error';
  const lines = [
    `HTTP/1.1 ${status} ${text}`,
    'content-type: text/plain; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    '',
    body,
  ];
  if (!socket.destroyed) socket.end(lines.join('\r\n'));
  return { status, problem };
}

/** The client's request line and headers, except the path and the credentials, which are for the kubelet only. */
function renderRequest(url: URL, { method, upgrade, peer, headers }: HttpRequest): string {
  const raw = upgrade?.rawHeaders ?? [];
  const target = url.protocol === 'unix:' ? '/' : `${url.pathname}${url.search}`;
  const lines = [`${method} ${target} HTTP/1.1`];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const [name = '', value = ''] = [raw[i], raw[i + 1]];
    const lower = name.toLowerCase();
    if (lower === 'authorization' || lower === 'x-forwarded-for') continue;
    const kept = lower === 'sec-websocket-protocol' ? withoutToken(value) : value;
    if (kept !== '') lines.push(`${name}: ${kept}`);
  }
  const before = headers['x-forwarded-for'];
  const chain = [...(before === undefined ? [] : [before].flat()), peer?.address ?? ''];
  lines.push(`X-Forwarded-For: ${chain.filter((part) => part !== '').join(', ')}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function withoutToken(protocols: string): string {
  return protocols
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => !protocol.startsWith(TOKEN_PROTOCOL))
    .join(', ');
}

async function relay(from: Duplex, to: Duplex, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using _listening = onAbort(signal, resolve);
  from.once('close', resolve);
  to.once('finish', resolve);
  to.once('close', resolve);
  from.pipe(to);
  await promise;
}

async function withDeadline<T>(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal,
  work: (limit: AbortSignal) => Promise<T>,
): Promise<T> {
  using deadline = new Deadline(clock, { timeoutMs, signal });
  return await work(deadline.signal);
}
