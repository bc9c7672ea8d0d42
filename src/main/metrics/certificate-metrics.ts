/** The metrics of the node's certificates, by upstream's names. */
import type { CertificateRenewer } from '../../agent/certificate/certificate-renewer.ts';
import type { Clock } from '../../base/async/clock.ts';
import { Counter, Gauge, Histogram, type MetricRegistry } from '../../base/metric-registry.ts';

/** From a minute to four years. */
const AGE_BUCKETS = [
  60, 3600, 14_400, 86_400, 604_800, 2_592_000, 7_776_000, 15_552_000, 31_104_000, 124_416_000,
];

export interface CertificateHooks {
  onFailure(): void;
  onReplaced(ageMs: number): void;
  /** Adds the gauge of the time left. */
  follow(renewer: Pick<CertificateRenewer, 'current'>): void;
}

export function addClientCertificateMetrics(registry: MetricRegistry, clock: Clock): CertificateHooks {
  const failures = registry.add(
    new Counter({
      name: 'kubelet_certificate_manager_client_expiration_renew_errors',
      help: 'Counter of certificate renewal errors.',
    }),
  );
  return {
    onFailure: () => failures.add(1),
    onReplaced: () => {},
    follow: (renewer) => addTimeLeft('client', registry, clock, renewer),
  };
}

export function addServingCertificateMetrics(registry: MetricRegistry, clock: Clock): CertificateHooks {
  const failures = registry.add(
    new Counter({
      name: 'kubelet_server_expiration_renew_errors',
      help: 'Counter of certificate renewal errors.',
    }),
  );
  const ages = registry.add(
    new Histogram({
      name: 'kubelet_certificate_manager_server_rotation_seconds',
      help: 'Histogram of the number of seconds the previous certificate lived before being rotated.',
      buckets: AGE_BUCKETS,
    }),
  );
  return {
    onFailure: () => failures.add(1),
    onReplaced: (ageMs) => ages.observe(ageMs / 1000),
    follow: (renewer) => addTimeLeft('server', registry, clock, renewer),
  };
}

function addTimeLeft(
  which: 'client' | 'server',
  registry: MetricRegistry,
  clock: Clock,
  renewer: Pick<CertificateRenewer, 'current'>,
): void {
  const what = which === 'client' ? 'client' : 'serving';
  const gauge = registry.add(
    new Gauge({
      name: `kubelet_certificate_manager_${which}_ttl_seconds`,
      help:
        `Gauge of the TTL (time-to-live) of the Kubelet's ${what} certificate. The value is in seconds until ` +
        `certificate expiry (negative if already expired). If ${what} certificate is invalid or unused, the value will be +INF.`,
    }),
  );
  registry.onRead(() => {
    const end = renewer.current?.notAfterMs;
    gauge.set(end === undefined ? Number.POSITIVE_INFINITY : Math.trunc((end - clock.now()) / 1000));
  });
}
