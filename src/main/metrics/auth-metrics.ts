/** Who calls the kubelet and how they are known: questions to the API server, and certificates near their end. */
import type { Clock } from '../../base/clock.ts';
import { Counter, Histogram, type MetricRegistry } from '../../base/metric-registry.ts';
import { timeCalls } from '../../base/timed-calls.ts';
import { TOKEN_REVIEWS } from '../../ports/api-resource.ts';
import { type ApiServer, apiStatusOf } from '../../ports/api-server.ts';

const REVIEW_SECONDS = [0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10];
const HOUR = 3600;
const DAY = 24 * HOUR;
const LIFETIMES = [
  0,
  HOUR / 2,
  HOUR,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  4 * DAY,
  7 * DAY,
  30 * DAY,
  90 * DAY,
  180 * DAY,
  360 * DAY,
];

export class AuthMetrics {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #reviews: Readonly<Record<'authn' | 'authz', { total: Counter; seconds: Histogram }>>;
  readonly #lifetimes: Histogram;

  constructor(registry: MetricRegistry, clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
    const add = (what: string): { total: Counter; seconds: Histogram } => ({
      total: registry.add(
        new Counter({
          name: `apiserver_delegated_${what}_request_total`,
          help: 'Number of HTTP requests partitioned by status code.',
          labels: ['code'],
        }),
      ),
      seconds: registry.add(
        new Histogram({
          name: `apiserver_delegated_${what}_request_duration_seconds`,
          help: 'Request latency in seconds. Broken down by status code.',
          labels: ['code'],
          buckets: REVIEW_SECONDS,
        }),
      ),
    });
    this.#reviews = { authn: add('authn'), authz: add('authz') };
    this.#lifetimes = registry.add(
      new Histogram({
        name: 'apiserver_client_certificate_expiration_seconds',
        help: 'Distribution of the remaining lifetime on the certificate used to authenticate a request.',
        buckets: LIFETIMES,
      }),
    );
  }

  /** The same way to the API server, counted; for reviews only. */
  reviews(api: Pick<ApiServer, 'create'>): Pick<ApiServer, 'create'> {
    return timeCalls(api, this.#clock, ({ args, durationMs, error }) => {
      const { total, seconds } = this.#reviews[args[0] === TOKEN_REVIEWS ? 'authn' : 'authz'];
      const code = error === undefined ? '201' : String(apiStatusOf(error)?.code ?? '<error>');
      total.add(1, { code });
      seconds.observe(durationMs / 1000, { code });
    });
  }

  /** A request came with a certificate that is good until then. */
  certificate(expiresAtMs: number): void {
    this.#lifetimes.observe((expiresAtMs - this.#clock.now()) / 1000);
  }
}
