/**
 * What a listener needs to speak TLS, and what it learns from a handshake.
 * Sessions are never resumed: a resumed one would carry the verdict on a
 * client certificate from an authority that may have been replaced since.
 */
import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import {
  createSecureContext,
  type SecureContextOptions,
  type Server,
  type TLSSocket,
  type TlsOptions,
} from 'node:tls';
import type { PeerTls } from './http-exchange.ts';

/** Read again after each change. */
export interface ServingTlsMaterial {
  /** PEM, the leaf first; undefined while there is no certificate yet: handshakes fail then. */
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  /** PEM; client certificates are requested when it is present, and never required. */
  readonly clientAuthorities?: string;
}

export interface ListenerTls {
  current(): ServingTlsMaterial;
  /** Calls after `current` has changed; dispose the result to stop. */
  subscribe(listener: () => void): Disposable;
  /** Ciphers, versions and curves in OpenSSL's words. */
  readonly parameters: Pick<SecureContextOptions, 'minVersion' | 'ciphers' | 'ecdhCurve'>;
}

const HANDSHAKE_TIMEOUT_MS = 10_000;
/** OpenSSL verifies no longer chains. */
const MAX_CHAIN = 10;

/** The options of the server, and of each later `setSecureContext`. */
export function toTlsOptions(tls: ListenerTls): TlsOptions {
  const { certificate, key, clientAuthorities } = tls.current();
  return {
    ...tls.parameters,
    ...(certificate === undefined || key === undefined ? {} : { cert: certificate, key }),
    ...(clientAuthorities === undefined ? {} : { ca: clientAuthorities, requestCert: true }),
    rejectUnauthorized: false,
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    ALPNProtocols: ['http/1.1'],
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
  };
}

/**
 * Gives the server the material of this moment. A listed authority is trusted,
 * an intermediate one too; Node's servers leave that option out when they make
 * their context, so one that has it takes its place.
 * Throws when the material cannot be used.
 */
export function useMaterial(server: Server, tls: ListenerTls): void {
  const options = toTlsOptions(tls);
  server.setSecureContext(options);
  const context = { ...options, honorCipherOrder: true, sessionIdContext: 'kubelet' };
  Object.assign(server, { _sharedCreds: createSecureContext({ ...context, allowPartialTrustChain: true }) });
}

/** Undefined on a plain connection. */
export function readPeerTls(socket: Socket | TLSSocket): PeerTls | undefined {
  if (!('getPeerX509Certificate' in socket)) return undefined;
  const chain: Uint8Array[] = [];
  let at = socket.getPeerX509Certificate();
  for (; at !== undefined && chain.length < MAX_CHAIN; at = at.issuerCertificate) chain.push(at.raw);
  if (chain.length === 0) return { chain, problem: undefined };
  const resumed = socket.isSessionReused() ? 'the session was resumed' : undefined;
  const refused = socket.authorized ? undefined : String(socket.authorizationError ?? 'not verified');
  return { chain, problem: refused ?? resumed };
}
