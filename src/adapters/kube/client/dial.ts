/**
 * Opens a socket to the API server that is ready for HTTP/2: TCP, through an
 * HTTP proxy when one is set, then TLS with the credentials of this moment.
 * A plain `http://` server gets HTTP/2 without TLS.
 */
import { type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { connect as connectTls, getCACertificates, type TLSSocket } from 'node:tls';
import { onAbort } from '../../../base/async/on-abort.ts';
import type { TlsMaterial } from '../credentials/tls-material.ts';

/** Gives a connected socket or rejects with an Error that says what failed; nothing is left open then. */
export type SocketDial = (signal: AbortSignal) => Promise<Socket>;

export interface DialTarget {
  readonly server: URL;
  readonly tlsServerName?: string;
  readonly insecure: boolean;
  readonly proxyUrl?: URL;
  /** PEM; those of the machine without. */
  readonly systemAuthorities?: () => string[];
  /** Asked at every connection, so that renewed certificates are used. */
  readonly readTls: () => Promise<TlsMaterial>;
}

const KEEP_ALIVE_MS = 30_000;

export function createDial(target: DialTarget): SocketDial {
  return async (signal) => {
    const tls = target.server.protocol === 'https:' ? await target.readTls() : undefined;
    signal.throwIfAborted();
    const socket = await (target.proxyUrl === undefined
      ? dialDirect(target.server, signal)
      : dialThroughProxy(target.proxyUrl, target.server, signal));
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    return tls === undefined ? socket : secure(socket, target, tls, signal);
  };
}

function dialDirect(server: URL, signal: AbortSignal): Promise<Socket> {
  const socket = connectSocket({ host: hostOf(server), port: portOf(server) });
  return untilEvent(socket, 'connect', signal, `cannot reach ${server.host}`);
}

async function secure(
  socket: Socket,
  target: DialTarget,
  material: TlsMaterial,
  signal: AbortSignal,
): Promise<Socket> {
  const host = hostOf(target.server);
  const servername = target.tlsServerName ?? (isIP(host) === 0 ? host : undefined);
  const secured = connectTls({
    socket,
    host,
    servername,
    ca: material.ca ?? target.systemAuthorities?.() ?? systemAuthorities(),
    // What is listed is trusted, an intermediate authority too.
    allowPartialTrustChain: true,
    ...(material.client === undefined
      ? {}
      : { cert: material.client.certificate, key: material.client.key.reveal() }),
    rejectUnauthorized: !target.insecure,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['h2'],
  });
  await untilEvent(secured, 'secureConnect', signal, `cannot make a TLS connection to ${target.server.host}`);
  if (secured.alpnProtocol === 'h2') return secured;
  secured.destroy();
  throw new Error(`${target.server.host} does not offer HTTP/2`);
}

/** The machine's store, where an operator puts authorities; Node has a list of its own besides, which is not asked. */
function systemAuthorities(): string[] {
  return getCACertificates('system');
}

function dialThroughProxy(proxy: URL, server: URL, signal: AbortSignal): Promise<Socket> {
  const path = `${server.hostname}:${portOf(server)}`;
  const failure = `cannot reach ${path} through proxy ${proxy.host}`;
  const send = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  const request: ClientRequest = send({
    host: hostOf(proxy),
    port: portOf(proxy),
    method: 'CONNECT',
    path,
    agent: false,
    headers: { host: path, ...proxyAuthorization(proxy) },
  });
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      request.destroy();
      reject(signal.reason);
    };
    const listening = onAbort(signal, abort);
    request.once('connect', (response, socket) => {
      listening[Symbol.dispose]();
      if (response.statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new Error(`${failure}: the proxy answered ${response.statusCode}`));
    });
    request.once('response', (response) => {
      request.destroy();
      reject(new Error(`${failure}: the proxy answered ${response.statusCode}`));
    });
    request.once('error', (error) => {
      listening[Symbol.dispose]();
      reject(new Error(`${failure}: ${error.message}`));
    });
    request.end();
  });
}

function proxyAuthorization(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {};
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** Resolves with the socket at the event; destroys it on failure or abort. */
function untilEvent(
  socket: Socket | TLSSocket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
  failure: string,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    let listening: Disposable | undefined;
    const settle = (): void => {
      listening?.[Symbol.dispose]();
      socket.off('error', fail).off('close', close).off(event, done);
    };
    const end = (error: unknown): void => {
      settle();
      // A late error of an abandoned socket must not end the process.
      socket.on('error', () => {}).destroy();
      reject(error);
    };
    const fail = (error: Error): void => end(new Error(`${failure}: ${error.message}`, { cause: error }));
    const close = (): void => end(new Error(`${failure}: connection closed`));
    const done = (): void => {
      settle();
      resolve(socket);
    };
    socket.once('error', fail).once('close', close).once(event, done);
    listening = onAbort(signal, () => end(signal.reason));
  });
}

/** Without the brackets of an IPv6 address. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}
