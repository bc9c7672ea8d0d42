/** Parses a certificate with its key from PEM text and returns its facts. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { AgentError } from '../../base/errors.ts';
import type { StoredCertificate } from '../../ports/cluster/certificate-store.ts';

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----\n?/g;
const KEY = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----[\s\S]*?-----END \1-----\n?/;

/** Both may be the same text; `from` names it in the AgentError, which never quotes it. */
export function parseCertificatePair(certificate: string, key: string, from: string): StoredCertificate {
  const chain = certificate.match(CERTIFICATES) ?? [];
  const [leaf] = chain;
  const block = KEY.exec(key)?.[0];
  if (leaf === undefined) throw bad(`${from} holds no PEM certificate`);
  if (block === undefined) throw bad(`${from} holds no PEM private key`);
  let parsed: X509Certificate;
  let matches: boolean;
  try {
    parsed = new X509Certificate(leaf);
    for (const other of chain.slice(1)) new X509Certificate(other);
    matches = parsed.checkPrivateKey(createPrivateKey(block));
  } catch {
    throw bad(`${from} holds a certificate or key that cannot be read`);
  }
  if (!matches) throw bad(`the key in ${from} does not belong to the certificate`);
  return { certificate: chain.map(endLine).join(''), key: endLine(block), ...toFacts(parsed) };
}

function toFacts(parsed: X509Certificate): Omit<StoredCertificate, 'certificate' | 'key'> {
  const subject = parsed.subject.split('\n');
  const valuesOf = (name: string): string[] =>
    subject.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
  const names = (parsed.subjectAltName ?? '').split(', ');
  const namesOf = (kind: string): string[] =>
    names.filter((name) => name.startsWith(`${kind}:`)).map((name) => name.slice(kind.length + 1));
  return {
    commonName: valuesOf('CN')[0] ?? '',
    organizations: valuesOf('O'),
    dnsNames: namesOf('DNS'),
    ipAddresses: namesOf('IP Address'),
    notBeforeMs: parsed.validFromDate.getTime(),
    notAfterMs: parsed.validToDate.getTime(),
  };
}

function endLine(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

function bad(message: string): AgentError {
  return new AgentError('invalid-argument', message);
}
