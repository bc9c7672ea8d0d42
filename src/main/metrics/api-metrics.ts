/** The calls to the API server, counted as every Kubernetes client counts its own. */
import type { ApiExchange } from '../../adapters/kube/client/api-caller.ts';
import { Counter, Histogram, type MetricRegistry } from '../../base/metric-registry.ts';

const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const BYTES = [64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216];

/** Adds the families and returns who fills them, for one server. */
export function addApiMetrics(registry: MetricRegistry): (host: string, exchange: ApiExchange) => void {
  const histogram = (what: string, help: string, buckets: readonly number[]): Histogram =>
    registry.add(new Histogram({ name: `rest_client_${what}`, help, buckets, labels: ['host', 'verb'] }));
  const total = registry.add(
    new Counter({
      name: 'rest_client_requests_total',
      help: 'Number of HTTP requests, partitioned by status code, method, and host.',
      labels: ['code', 'host', 'method'],
    }),
  );
  const duration = histogram(
    'request_duration_seconds',
    'Request latency in seconds. Broken down by verb, and host.',
    SECONDS,
  );
  const waiting = histogram(
    'rate_limiter_duration_seconds',
    'Client side rate limiter latency in seconds. Broken down by verb, and host.',
    SECONDS,
  );
  const sent = histogram('request_size_bytes', 'Request size in bytes. Broken down by verb and host.', BYTES);
  const received = histogram(
    'response_size_bytes',
    'Response size in bytes. Broken down by verb and host.',
    BYTES,
  );
  return (host, { method, code, queuedMs, durationMs, requestBytes, responseBytes }) => {
    total.add(1, { code, host, method });
    const labels = { host, verb: method };
    if (queuedMs !== undefined) waiting.observe(queuedMs / 1000, labels);
    // A watch lasts as long as it is left alone: its time and size say nothing.
    if (responseBytes === undefined) return;
    duration.observe(durationMs / 1000, labels);
    sent.observe(requestBytes, labels);
    received.observe(responseBytes, labels);
  };
}
