/**
 * The first certificate of a node whose certificates are not rotated: requested
 * once, waited for, and then used until an administrator replaces it. The request
 * has a name that follows from the key, so that a start after a crash finds
 * the request of the one before instead of asking again.
 */
import type { Clock } from '../../base/async/clock.ts';
import { retry } from '../../base/async/retry.ts';
import type { RetryPolicy } from '../../base/async/retry-delay.ts';
import { AgentError, hasCode } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { CertificateSigningRequest } from '../../core/certificate/signing-request.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../../ports/cluster/api-resource.ts';
import type { ApiServer } from '../../ports/cluster/api-server.ts';
import { awaitSignature, createSigningRequest, type SignatureRequest } from './await-signature.ts';

export interface FirstCertificateSettings {
  readonly api: Pick<ApiServer, 'create' | 'follow' | 'get'>;
  readonly request: SignatureRequest & { readonly name: string };
  readonly clock: Clock;
  readonly logger: Logger;
}

const REACH_MS = 60_000;
const REACH_RETRY: RetryPolicy = { initialMs: 2_000, maxMs: 2_000 };
const WAIT_MS = 3600_000;

/** The PEM text of the certificate. Rejects with AgentError when the API server cannot be reached, or the request is not signed. */
export async function requestFirstCertificate(
  { api, request, clock, logger }: FirstCertificateSettings,
  signal: AbortSignal,
): Promise<string> {
  const giveUpMs = clock.steady() + REACH_MS;
  const mayRetry = (error: unknown): boolean =>
    (hasCode(error, 'unavailable') || hasCode(error, 'deadline-exceeded')) && clock.steady() < giveUpMs;
  const settings = { clock, policy: REACH_RETRY, signal, mayRetry };
  const created = await retry(() => createOrFind(api, request, signal), settings);
  logger.info('waiting for the client certificate', { request: created.metadata.name });
  return awaitSignature(api, created, { clock, timeoutMs: WAIT_MS, signal });
}

async function createOrFind(
  api: FirstCertificateSettings['api'],
  request: FirstCertificateSettings['request'],
  signal: AbortSignal,
): Promise<CertificateSigningRequest> {
  try {
    return await createSigningRequest(api, request, signal);
  } catch (error) {
    if (!hasCode(error, 'already-exists')) throw error;
  }
  const { name, signerName } = request;
  const ref = { resource: CERTIFICATE_SIGNING_REQUESTS, name };
  const found = await api.get<CertificateSigningRequest>(ref, { signal });
  if (found === undefined) throw new AgentError('unavailable', `cannot find request "${name}" that exists`);
  if (found.spec.signerName !== signerName) {
    const message = `cannot use request "${name}": its signer is "${found.spec.signerName}"`;
    throw new AgentError('failed-precondition', message);
  }
  return found;
}
