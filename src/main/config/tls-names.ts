/**
 * The TLS names a configuration may use: versions, curve ids and cipher suites, as Go's crypto/tls has them.
 */

export const TLS_VERSIONS: readonly string[] = [
  'VersionTLS10',
  'VersionTLS11',
  'VersionTLS12',
  'VersionTLS13',
];

/** P-256, P-384, P-521, X25519 and the three hybrid ML-KEM groups. */
export const TLS_CURVES: readonly number[] = [23, 24, 25, 29, 4587, 4588, 4589];

const SECURE = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  ...ecdhe(['AES_128_CBC_SHA', 'AES_256_CBC_SHA', 'AES_128_GCM_SHA256', 'AES_256_GCM_SHA384']),
  ...ecdhe(['CHACHA20_POLY1305', 'CHACHA20_POLY1305_SHA256']),
];

/** Accepted, with a warning. */
export const INSECURE_CIPHER_SUITES: ReadonlySet<string> = new Set([
  ...[
    'RC4_128_SHA',
    '3DES_EDE_CBC_SHA',
    'AES_128_CBC_SHA',
    'AES_256_CBC_SHA',
    'AES_128_CBC_SHA256',
    'AES_128_GCM_SHA256',
    'AES_256_GCM_SHA384',
  ].map((name) => `TLS_RSA_WITH_${name}`),
  ...ecdhe(['RC4_128_SHA', 'AES_128_CBC_SHA256']),
  'TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA',
]);

/** Every cipher suite name that is accepted. */
export const CIPHER_SUITES: ReadonlySet<string> = new Set([...SECURE, ...INSECURE_CIPHER_SUITES]);

function ecdhe(names: readonly string[]): readonly string[] {
  return ['ECDSA', 'RSA'].flatMap((key) => names.map((name) => `TLS_ECDHE_${key}_WITH_${name}`));
}
