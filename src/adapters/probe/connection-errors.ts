/**
 * Failures of sockets in the words of the kubelet's events, which people and
 * alerts search for: `dial tcp 10.0.0.7:80: connect: connection refused`.
 */
import { errorText } from '../../base/errors.ts';

const DIAL_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  EADDRNOTAVAIL: 'connect: cannot assign requested address',
  EACCES: 'connect: permission denied',
  EINVAL: 'connect: invalid argument',
  ETIMEDOUT: 'connect: connection timed out',
};

const LOOKUP_REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'server misbehaving',
};

/** `address` is what was dialled, as `host:port`. */
export function renderConnectionError(error: unknown, address: string): string {
  const { code, hostname } = firstOf(error);
  const dial = DIAL_REASONS[code];
  if (dial !== undefined) return `dial tcp ${address}: ${dial}`;
  const lookup = LOOKUP_REASONS[code];
  if (lookup !== undefined) return `dial tcp: lookup ${hostname}: ${lookup}`;
  if (errorText(error) === 'socket hang up') return 'EOF';
  if (code === 'ECONNRESET') return `read tcp ${address}: read: connection reset by peer`;
  return errorText(error);
}

/** A name with several addresses fails with all their errors; the first stands for them. */
function firstOf(error: unknown): { readonly code: string; readonly hostname: string } {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const { code, hostname } = (first ?? {}) as { code?: unknown; hostname?: unknown };
  return { code: String(code ?? ''), hostname: String(hostname ?? '') };
}
