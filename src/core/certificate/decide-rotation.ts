/**
 * When a certificate is renewed. Nodes created at the same time must not
 * request at the same time, so the moment is drawn from the last third of the
 * lifetime, early enough to leave time for an approval.
 */
import { computeRetryDelay, type RetryPolicy } from '../../base/async/retry-delay.ts';
import { type CertificateTemplate, satisfies } from './certificate-template.ts';

export interface CertificateFacts extends CertificateTemplate {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

const EARLIEST = 0.7;
const SPREAD = 0.2;

/** The wall time of the next request; not after `nowMs` means now. `random` is in [0, 1). */
export function decideRotation(
  certificate: CertificateFacts | undefined,
  template: CertificateTemplate,
  nowMs: number,
  random: number,
): number {
  if (certificate === undefined || isExpired(certificate, nowMs)) return nowMs;
  if (!satisfies(certificate, template)) return nowMs;
  const { notBeforeMs, notAfterMs } = certificate;
  return notBeforeMs + (notAfterMs - notBeforeMs) * (EARLIEST + SPREAD * random);
}

export function isExpired({ notAfterMs }: Pick<CertificateFacts, 'notAfterMs'>, nowMs: number): boolean {
  return nowMs > notAfterMs;
}

const QUICK_RETRY: RetryPolicy = { initialMs: 2_000, maxMs: 32_000, spread: 0.1 };
const QUICK_TRIES = 5;
const SLOW_RETRY_MS = 32_000;

/** The delay after this many consecutive failures (1 or more). */
export function computeRetryDelayMs(failures: number, random: number): number {
  return failures < QUICK_TRIES ? computeRetryDelay(QUICK_RETRY, failures - 1, random) : SLOW_RETRY_MS;
}

const SHORTFALL_RETRY: RetryPolicy = { initialMs: 32_000, maxMs: 3_600_000, spread: 0.1 };

/**
 * The delay after this many consecutive certificates (1 or more) that were
 * issued but due for renewal at once: the signer leaves a name out, or backdates
 * them. Asking again at once would get the same.
 */
export function computeShortfallDelayMs(shortfalls: number, random: number): number {
  return computeRetryDelay(SHORTFALL_RETRY, shortfalls - 1, random);
}

const MISSING_LIMIT_MS = 300_000;

export interface LossFacts {
  /** When there last was a good certificate, or the start. */
  readonly lastSeenMs: number;
  /** The API server answered the last request, if only by a refusal. */
  readonly serverAnswers: boolean;
}

/**
 * True when waiting cannot restore access to the API server: only a restart
 * with the bootstrap credentials can.
 */
export function decideIdentityLost({ lastSeenMs, serverAnswers }: LossFacts, nowMs: number): boolean {
  return serverAnswers && nowMs > lastSeenMs + MISSING_LIMIT_MS;
}
