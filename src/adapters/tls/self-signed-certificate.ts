/**
 * A serving certificate for a node without a configured one: a throw-away
 * authority signs a leaf for the node's name. Like upstream's in names, life
 * time and file layout; the keys are P-256 instead of RSA, because they are
 * generated instantly. The authority's key is dropped at once.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { bits, integer, objectId, octets, sequence, tagged, time, truth } from './der-writer.ts';
import { alternativeNames, ECDSA_SHA256, extension, toName, toPem } from './x509-parts.ts';

const HOUR_MS = 3600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

export interface SelfSigned {
  /** PEM: the leaf, then its authority. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
}

export function createSelfSigned(host: string, nowMs: number): SelfSigned {
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const leaf = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const seconds = Math.floor(nowMs / 1000);
  const issuer = toName(`${host}-ca@${seconds}`);
  const subject = toName(`${host}@${seconds}`);
  const signed = { issuer, signer: authority.privateKey, nowMs };
  const ca = toCertificate({
    ...signed,
    subject: issuer,
    key: authority.publicKey,
    extensions: CA_EXTENSIONS,
  });
  const extensions = toLeafExtensions(host, authority.publicKey);
  const own = toCertificate({ ...signed, subject, key: leaf.publicKey, extensions });
  return {
    certificate: toPem('CERTIFICATE', own) + toPem('CERTIFICATE', ca),
    key: leaf.privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
  };
}

const CA_EXTENSIONS: readonly Uint8Array[] = [
  extension('2.5.29.19', sequence(truth()), true),
  // digitalSignature, keyEncipherment, keyCertSign
  extension('2.5.29.15', bits(Uint8Array.of(0b1010_0100), 2), true),
];

function toLeafExtensions(host: string, issuerKey: KeyObject): readonly Uint8Array[] {
  return [
    extension('2.5.29.15', bits(Uint8Array.of(0b1010_0000), 5), true),
    extension('2.5.29.37', sequence(objectId('1.3.6.1.5.5.7.3.1'))),
    extension('2.5.29.19', sequence(), true),
    extension('2.5.29.35', sequence(tagged(0x80, toKeyId(issuerKey)))),
    alternativeNames([host]),
  ];
}

interface CertificateParts {
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly key: KeyObject;
  readonly signer: KeyObject;
  readonly nowMs: number;
  readonly extensions: readonly Uint8Array[];
}

function toCertificate({ issuer, subject, key, signer, nowMs, extensions }: CertificateParts): Uint8Array {
  const keyId = extension('2.5.29.14', octets(toKeyId(key)));
  const body = sequence(
    tagged(0xa0, integer(Uint8Array.of(2))),
    integer(randomBytes(16)),
    ECDSA_SHA256,
    issuer,
    sequence(time(nowMs - HOUR_MS), time(nowMs - HOUR_MS + YEAR_MS)),
    subject,
    key.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions, keyId)),
  );
  return sequence(body, ECDSA_SHA256, bits(sign('sha256', body, signer)));
}

function toKeyId(key: KeyObject): Uint8Array {
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();
}
