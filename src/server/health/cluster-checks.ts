/**
 * Health of the way to the API server: do its watches of pods and of our node
 * still bring events, and does it take our heartbeat? A kubelet that is cut
 * off looks well from within; these checks show that it is.
 */
import type { Clock } from '../../base/async/clock.ts';
import type { ListWatchHealth } from '../../ports/cluster/list-watch.ts';
import type { HealthCheck } from './health-check.ts';

/**
 * Bookmarks come about every minute, but not from every server when nothing happens: silence alone proves
 * nothing. Silence for so long, and tries that fail, do.
 */
const WATCH_LIMIT_MS = 150_000;

export interface ClusterSigns {
  /** By what is watched. */
  readonly watches: Readonly<Record<string, () => ListWatchHealth>>;
  /** When the API server last took a heartbeat, in steady time; undefined before the first. */
  readonly leaseRenewedAtMs: () => number | undefined;
  readonly leaseDurationMs: number;
  /** Steady time. */
  readonly startedAtMs: number;
}

/** `api-watch` and `lease`. */
export function toClusterChecks(signs: ClusterSigns, clock: Pick<Clock, 'steady'>): HealthCheck[] {
  return [
    { name: 'api-watch', check: () => describeSilence(signs) },
    { name: 'lease', check: () => describeLease(signs, clock.steady()) },
  ];
}

function describeSilence({ watches }: ClusterSigns): string | undefined {
  const silent = Object.entries(watches).flatMap(([what, health]) => {
    const { lastEventAgeMs, failures, synced } = health();
    if (lastEventAgeMs <= WATCH_LIMIT_MS || failures === 0) return [];
    const before = synced ? '' : ', and never before';
    return [`no event about ${what} for ${toSeconds(lastEventAgeMs)}${before}`];
  });
  return silent.length === 0 ? undefined : silent.join('; ');
}

function describeLease(
  { leaseRenewedAtMs, leaseDurationMs, startedAtMs }: ClusterSigns,
  nowMs: number,
): string | undefined {
  const renewedAtMs = leaseRenewedAtMs();
  const ageMs = nowMs - (renewedAtMs ?? startedAtMs);
  if (ageMs <= leaseDurationMs) return undefined;
  const since = renewedAtMs === undefined ? 'since the start, ' : '';
  return `the node lease was not renewed ${since}for ${toSeconds(ageMs)}; it lasts ${toSeconds(leaseDurationMs)}`;
}

function toSeconds(ms: number): string {
  return `${Math.floor(ms / 1000)}s`;
}
