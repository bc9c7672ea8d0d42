/** Requests for certificates (PKCS #10) with P-256 keys, and the names that upstream gives them. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { AgentError } from '../../base/errors.ts';
import type { CertificateTemplate } from '../../core/certificate/certificate-template.ts';
import type { SigningRequest } from '../../ports/cluster/certificate-store.ts';
import { bits, integer, objectId, sequence, set, tagged } from './der-writer.ts';
import { alternativeNames, ECDSA_SHA256, toName, toPem } from './x509-parts.ts';

const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';

/** A request for a new key. */
export function makeCertificateRequest(template: CertificateTemplate): SigningRequest {
  const key = createKey();
  return { request: signCertificateRequest(template, key), key };
}

/** A new private key as PEM. */
export function createKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'sec1', format: 'pem' }).toString();
}

/** A request as PEM, for an existing P-256 key. Throws AgentError for any other kind of key. */
export function signCertificateRequest(template: CertificateTemplate, keyPem: string): string {
  const key = parseKey(keyPem);
  const names = [...template.dnsNames, ...template.ipAddresses];
  const attributes =
    names.length === 0 ? [] : [sequence(objectId(EXTENSION_REQUEST), set(sequence(alternativeNames(names))))];
  const body = sequence(
    integer(Uint8Array.of(0)),
    toName(template.commonName, template.organizations),
    toPublicKey(key),
    tagged(0xa0, ...attributes),
  );
  return toPem('CERTIFICATE REQUEST', sequence(body, ECDSA_SHA256, bits(sign('sha256', body, key))));
}

/** The same key and template always get the same name, so that a restart finds the request of the previous run. */
export function computeRequestName(
  { commonName, organizations }: CertificateTemplate,
  usages: readonly string[],
  keyPem: string,
): string {
  const hash = createHash('sha512-256');
  // The separator cannot occur in the parts, so different inputs never collide.
  const parts = [toPublicKey(keyPem), ...[commonName, ...organizations, ...usages].map(toBytes)];
  for (const part of parts) hash.update(`${Buffer.from(part).toString('base64url')}|`);
  return `node-csr-${hash.digest('base64url')}`;
}

function toBytes(text: string): Uint8Array {
  return Buffer.from(text);
}

/** Of a private key, or of a public one. */
function toPublicKey(key: KeyObject | string): Uint8Array {
  return createPublicKey(key as KeyObject).export({ type: 'spki', format: 'der' });
}

function parseKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  } catch {
    // The text of the failure might quote the key.
  }
  throw new AgentError('invalid-argument', 'cannot use the private key: it is no P-256 key in PEM form');
}
