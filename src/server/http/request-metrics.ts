/** Counts and times the requests of a port. Paths are cut to the known roots, so that callers cannot create series. */
import type { Clock } from '../../base/async/clock.ts';
import { Counter, Gauge, Histogram, type MetricRegistry } from '../../base/metric-registry.ts';
import type { RequestObserver } from './listener-settings.ts';

const METHODS: ReadonlySet<string> = new Set([
  'OPTIONS',
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'TRACE',
  'CONNECT',
]);
const LONG_RUNNING: ReadonlySet<string> = new Set(['exec', 'attach', 'debug']);
const LABELS = ['long_running', 'method', 'path', 'server_type'];

/** One set of families for all ports. */
export class RequestMetrics {
  readonly #clock: Clock;
  readonly #total: Counter;
  readonly #duration: Histogram;
  readonly #inFlight: Gauge;

  constructor(registry: MetricRegistry, clock: Clock) {
    this.#clock = clock;
    this.#total = registry.add(
      new Counter({
        name: 'kubelet_http_requests_total',
        help: 'Number of the http requests received since the server started',
        labels: LABELS,
      }),
    );
    this.#duration = registry.add(
      new Histogram({
        name: 'kubelet_http_requests_duration_seconds',
        help: 'Duration in seconds to serve http requests',
        labels: LABELS,
      }),
    );
    this.#inFlight = registry.add(
      new Gauge({
        name: 'kubelet_http_inflight_requests',
        help: 'Number of the inflight http requests',
        labels: LABELS,
      }),
    );
  }

  /** `roots` are the first parts of the paths the port knows. */
  observer(serverType: 'readonly' | 'readwrite', roots: ReadonlySet<string>): RequestObserver {
    return ({ method, path }) => {
      const place = toPlace(path, roots);
      const labels = {
        method: METHODS.has(method) ? method : 'other',
        path: place,
        server_type: serverType,
        long_running: String(LONG_RUNNING.has(place)),
      };
      const startedAtMs = this.#clock.steady();
      this.#total.add(1, labels);
      this.#inFlight.add(1, labels);
      return () => {
        this.#inFlight.add(-1, labels);
        this.#duration.observe((this.#clock.steady() - startedAtMs) / 1000, labels);
      };
    };
  }
}

function toPlace(path: string, roots: ReadonlySet<string>): string {
  const [, first = '', second] = path.split('/');
  if (first === 'metrics' && second !== undefined && second !== '')
    return roots.has(`metrics/${second}`) ? `metrics/${second}` : 'other';
  return roots.has(first) ? first : 'other';
}

/** The roots of a route list, in the form `observer` takes. */
export function toRoots(paths: readonly string[]): ReadonlySet<string> {
  return new Set(
    paths.map((path) => {
      const [, first = '', second = ''] = path.split('/');
      return first === 'metrics' && second !== '' ? `metrics/${second}` : first;
    }),
  );
}
