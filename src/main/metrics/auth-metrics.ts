/** Who calls the kubelet and how they are known: questions to the API server, and certificates near their end. */
import type { Clock } from '../../base/async/clock.ts';
import {
  Counter,
  Gauge,
  Histogram,
  type MetricDefinition,
  type MetricRegistry,
} from '../../base/metric-registry.ts';
import { timeCalls } from '../../base/timed-calls.ts';
import { TOKEN_REVIEWS } from '../../ports/cluster/api-resource.ts';
import { type ApiServer, apiStatusOf } from '../../ports/cluster/api-server.ts';
import type { TokenCacheMeter } from '../../server/auth/token-authenticator.ts';

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
  readonly #clock: Pick<Clock, 'now' | 'steady'>;
  readonly #reviews: Readonly<Record<'authn' | 'authz', { total: Counter; seconds: Histogram }>>;
  readonly #lifetimes: Histogram;
  readonly #cache: { requests: Counter; seconds: Histogram; fetches: Counter; active: Gauge };

  constructor(registry: MetricRegistry, clock: Pick<Clock, 'now' | 'steady'>) {
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
    const ofCache = (what: string, help: string): MetricDefinition => ({
      name: `authentication_token_cache_${what}`,
      help,
      labels: ['status'],
    });
    this.#cache = {
      requests: registry.add(
        new Counter(ofCache('request_total', 'Tokens asked about, by cache hit or miss.')),
      ),
      seconds: registry.add(
        new Histogram(
          ofCache('request_duration_seconds', 'Time to authenticate a token, by cache hit or miss.'),
        ),
      ),
      fetches: registry.add(new Counter(ofCache('fetch_total', 'Reviews of tokens, by outcome.'))),
      active: registry.add(
        new Gauge(ofCache('active_fetch_count', 'Reviews under way and callers that wait for one.')),
      ),
    };
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

  /** For the memory of tokens. */
  tokenCache(): TokenCacheMeter {
    return {
      asked: (hit, durationMs) => {
        const status = { status: hit ? 'hit' : 'miss' };
        this.#cache.requests.add(1, status);
        this.#cache.seconds.observe(durationMs / 1000, status);
      },
      active: (status, by) => this.#cache.active.add(by, { status }),
      fetched: (ok) => this.#cache.fetches.add(1, { status: ok ? 'ok' : 'error' }),
    };
  }

  /** A request came with a certificate that is good until then. */
  certificate(expiresAtMs: number): void {
    this.#lifetimes.observe((expiresAtMs - this.#clock.now()) / 1000);
  }
}
