/**
 * The identity of a client certificate: the common name is the user, the
 * organisations are the groups. The chain was verified in the handshake
 * against the authorities of that moment; its validity period is checked again
 * here, because a connection may outlive a certificate.
 */
import { createHash, X509Certificate } from 'node:crypto';
import type { UserInfo } from '../../ports/cluster/authentication.ts';
import type { PeerTls } from '../http/http-exchange.ts';
import { readSubject } from './read-subject.ts';

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';
const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

/** Undefined when no certificate was presented, or one without a name. Throws when it cannot be accepted. */
export function identifyCertificate(tls: PeerTls, nowMs: number): UserInfo | undefined {
  const [leaf] = tls.chain;
  if (leaf === undefined) return undefined;
  if (tls.problem !== undefined) throw new Error(`verifying the certificate failed: ${tls.problem}`);
  for (const raw of tls.chain) checkTime(new X509Certificate(raw), nowMs);
  // Named by Node after the plain key usage, but these are the extended ones; none at all allows every use.
  const usages = new X509Certificate(leaf).keyUsage as readonly string[] | undefined;
  if (usages !== undefined && !usages.includes(CLIENT_AUTH) && !usages.includes(ANY_USAGE))
    throw new Error('the certificate is not for client authentication');
  const { commonName, organizations, uids } = readSubject(leaf);
  if (commonName === '') return undefined;
  if (uids.length > 1 || uids.includes('')) throw new Error('the certificate carries no single UID');
  const fingerprint = createHash('sha256').update(leaf).digest('hex');
  return {
    name: commonName,
    uid: uids[0] ?? '',
    groups: organizations,
    extra: { [CREDENTIAL_ID]: [`X509SHA256=${fingerprint}`] },
  };
}

function checkTime(certificate: X509Certificate, nowMs: number): void {
  const { validFromDate, validToDate } = certificate;
  if (nowMs < validFromDate.getTime() || nowMs > validToDate.getTime())
    throw new Error('the certificate has expired or is not yet valid');
}
