/**
 * Requests a certificate from the API server and waits until it is approved
 * and signed. Used by the renewal of both certificates and by the first
 * start of a node.
 */
import { type Clock, sleep } from '../../base/async/clock.ts';
import { AgentError } from '../../base/errors.ts';
import {
  type CertificateSigningRequest,
  decideSigningOutcome,
  type SigningOutcome,
  toSigningRequest,
} from '../../core/certificate/signing-request.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../../ports/cluster/api-resource.ts';
import type { ApiServer } from '../../ports/cluster/api-server.ts';

export type SigningApi = Pick<ApiServer, 'create' | 'follow'>;

export interface SignatureRequest {
  /** PEM. */
  readonly request: string;
  readonly signerName: string;
  readonly usages: Parameters<typeof toSigningRequest>[0]['usages'];
  readonly name?: string;
}

/** Creates the request object; rejects with AgentError as the API server does. */
export function createSigningRequest(
  api: Pick<ApiServer, 'create'>,
  { request, ...rest }: SignatureRequest,
  signal: AbortSignal,
): Promise<CertificateSigningRequest> {
  const object = toSigningRequest({ ...rest, request: Buffer.from(request).toString('base64') });
  return api.create<CertificateSigningRequest>(CERTIFICATE_SIGNING_REQUESTS, object, { signal });
}

export interface AwaitOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * The PEM text of the certificate. Rejects with AgentError: `permission-denied`
 * when it was refused, `deadline-exceeded`, or `cancelled`.
 */
export async function awaitSignature(
  api: Pick<ApiServer, 'follow'>,
  created: CertificateSigningRequest,
  { clock, timeoutMs, signal }: AwaitOptions,
): Promise<string> {
  const { name, uid = '' } = created.metadata;
  let outcome: SigningOutcome = { kind: 'pending' };
  const end = new AbortController();
  const settle = (found: SigningOutcome): void => {
    if (outcome.kind !== 'pending' || found.kind === 'pending') return;
    outcome = found;
    end.abort();
  };
  const deleted: SigningOutcome = { kind: 'refused', message: 'it was deleted' };
  const until = AbortSignal.any([signal, end.signal]);
  const watch = api.follow<CertificateSigningRequest>({
    resource: CERTIFICATE_SIGNING_REQUESTS,
    fieldSelector: `metadata.name=${name}`,
  });
  const watching = watch.run(until, {
    onReplace: ([object]) => settle(object === undefined ? deleted : decideSigningOutcome(object, uid)),
    onEvent: (type, object) => settle(type === 'DELETED' ? deleted : decideSigningOutcome(object, uid)),
  });
  await sleep(clock, timeoutMs, until);
  end.abort();
  await watching;
  return toCertificate(outcome, name, signal);
}

function toCertificate(outcome: SigningOutcome, name: string, signal: AbortSignal): string {
  const action = `cannot get a certificate by request "${name}"`;
  switch (outcome.kind) {
    case 'issued':
      return Buffer.from(outcome.certificate, 'base64').toString();
    case 'refused':
      throw new AgentError('permission-denied', `${action}: ${outcome.message}`);
    case 'pending':
      throw signal.aborted
        ? new AgentError('cancelled', `${action}: cancelled`)
        : new AgentError('deadline-exceeded', `${action}: not signed in time`);
  }
}
