/**
 * The configured TLS versions, cipher suites and curves, which carry Go's
 * names, in the words of OpenSSL.
 */
import type { SecureContextOptions, SecureVersion } from 'node:tls';

export interface TlsNames {
  /** Empty means TLS 1.2. */
  readonly minVersion: string;
  /** Empty means the defaults. They do not apply to TLS 1.3. */
  readonly cipherSuites: readonly string[];
  /** Ids; empty means the defaults. */
  readonly curves: readonly number[];
}

const VERSIONS: Readonly<Record<string, SecureVersion>> = {
  VersionTLS10: 'TLSv1',
  VersionTLS11: 'TLSv1.1',
  VersionTLS12: 'TLSv1.2',
  VersionTLS13: 'TLSv1.3',
};

const CURVES: Readonly<Record<number, string>> = {
  23: 'P-256',
  24: 'P-384',
  25: 'P-521',
  29: 'X25519',
  4587: 'SecP256r1MLKEM768',
  4588: 'X25519MLKEM768',
  4589: 'SecP384r1MLKEM1024',
};

export type TlsParameters = Pick<SecureContextOptions, 'minVersion' | 'ciphers' | 'ecdhCurve'>;

/** Suites this build of OpenSSL lacks (RC4) are left out; the names were validated before. */
export function toTlsParameters({ minVersion, cipherSuites, curves }: TlsNames): TlsParameters {
  const suites = cipherSuites.filter((name) => !name.includes('_RC4_')).map(toOpenSslSuite);
  const groups = curves.map((id) => CURVES[id]).filter((name) => name !== undefined);
  return {
    minVersion: VERSIONS[minVersion] ?? 'TLSv1.2',
    ...(cipherSuites.length === 0 ? {} : { ciphers: toCipherList(suites) }),
    ...(groups.length === 0 ? {} : { ecdhCurve: groups.join(':') }),
  };
}

/** As in Go, the suites of TLS 1.3 are always there, whatever is listed. */
function toCipherList(suites: readonly string[]): string {
  const modern = ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'];
  return [...modern, ...suites.filter((name) => !modern.includes(name))].join(':');
}

/** `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256` is `ECDHE-RSA-AES128-GCM-SHA256` there. */
function toOpenSslSuite(name: string): string {
  const [, exchange, cipher] = /^TLS_(?:(.+)_)?WITH_(.+)$/.exec(name) ?? [];
  if (cipher === undefined) return name;
  const own = cipher
    .replace('CHACHA20_POLY1305_SHA256', 'CHACHA20_POLY1305')
    .replace('3DES_EDE_CBC', 'DES_CBC3')
    .replace(/AES_(\d+)_CBC/, 'AES$1')
    .replace(/AES_(\d+)_GCM/, 'AES$1_GCM');
  const key = exchange === undefined || exchange === 'RSA' ? '' : `${exchange}_`;
  return `${key}${own}`.replaceAll('_', '-');
}
