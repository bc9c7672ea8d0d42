/**
 * What a TLS handshake with the API server needs, checked before use: a bad
 * certificate, key or pair is named here in words and not by OpenSSL later.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { AgentError, errorText } from '../../../base/errors.ts';
import { Secret } from './secret.ts';

export interface ClientCertificate {
  /** PEM, the leaf first. */
  readonly certificate: string;
  readonly key: Secret;
  /** When the leaf ends, in milliseconds since the epoch. */
  readonly notAfterMs: number;
}

/** A new object whenever anything in it changed. */
export interface TlsMaterial {
  /** PEM; the system's authorities when undefined. */
  readonly ca?: string;
  readonly client?: ClientCertificate;
}

/** A text and the words that name where it came from. */
export interface NamedText {
  readonly text: string;
  readonly from: string;
}

/** Checks the certificate, the key and that they belong together. Throws AgentError. */
export function toClientCertificate(certificate: NamedText, key: NamedText): ClientCertificate {
  const leaf = parseCertificate(certificate);
  const privateKey = parseKey(key);
  if (!leaf.checkPrivateKey(privateKey))
    throw bad(`${key.from} does not belong to the certificate in ${certificate.from}`);
  return {
    certificate: certificate.text,
    key: new Secret(key.text),
    notAfterMs: Date.parse(leaf.validTo),
  };
}

/** Checks every certificate of a bundle. Throws AgentError. */
export function toAuthorities(bundle: NamedText): string {
  const parts = bundle.text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (parts.length === 0) throw bad(`${bundle.from} holds no PEM certificate`);
  for (const text of parts) parseCertificate({ text, from: bundle.from });
  return bundle.text;
}

function parseCertificate({ text, from }: NamedText): X509Certificate {
  const start = text.indexOf('-----BEGIN CERTIFICATE-----');
  if (start === -1) throw bad(`${from} holds no PEM certificate`);
  try {
    return new X509Certificate(text.slice(start));
  } catch (error) {
    throw bad(`${from} holds a certificate that cannot be read: ${errorText(error)}`);
  }
}

function parseKey({ text, from }: NamedText): ReturnType<typeof createPrivateKey> {
  // A file may hold certificate and key together; the key is the block that says so.
  const block = text.match(/-----BEGIN ([A-Z ]*PRIVATE KEY)-----[\s\S]*?-----END \1-----/)?.[0];
  if (block === undefined) throw bad(`${from} holds no PEM private key`);
  try {
    return createPrivateKey(block);
  } catch {
    // The text of the failure might quote the key.
    throw bad(`${from} holds a private key that cannot be read`);
  }
}

function bad(message: string): AgentError {
  return new AgentError('invalid-argument', message);
}
