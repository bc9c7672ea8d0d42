/** `/metrics/slis`: results of the health checks, counted with every request to `/healthz`; DELETE resets them. */
import { Counter, Gauge, MetricRegistry } from '../../base/metric-registry.ts';
import { replyMetrics } from '../debug/metrics-text.ts';
import { type HttpReply, type HttpRequest, toTextReply } from '../http/http-exchange.ts';
import type { Route } from '../http/route-list.ts';
import type { HealthObserver } from './health-check.ts';

export class HealthMetrics {
  readonly #registry: MetricRegistry;
  readonly #last: Gauge;
  readonly #total: Counter;

  /** The registry may hold more than these. */
  constructor(registry = new MetricRegistry()) {
    this.#registry = registry;
    this.#last = this.#registry.add(
      new Gauge({
        name: 'kubernetes_healthcheck',
        help: 'This metric records the result of a single healthcheck.',
        stability: 'STABLE',
        labels: ['name', 'type'],
      }),
    );
    this.#total = this.#registry.add(
      new Counter({
        name: 'kubernetes_healthchecks_total',
        help: 'This metric records the results of all healthcheck.',
        stability: 'STABLE',
        labels: ['name', 'status', 'type'],
      }),
    );
  }

  readonly observe: HealthObserver = (name, healthy) => {
    this.#last.set(healthy ? 1 : 0, { name, type: 'healthz' });
    this.#total.add(1, { name, type: 'healthz', status: healthy ? 'success' : 'error' });
  };

  get route(): Route {
    return { path: '/metrics/slis', methods: 'any', handle: (request) => this.#reply(request) };
  }

  #reply(request: HttpRequest): HttpReply {
    if (request.method !== 'DELETE') return replyMetrics(request, this.#registry);
    this.#last.remove({});
    this.#total.remove({});
    return toTextReply(200, 'metrics reset\n');
  }
}
