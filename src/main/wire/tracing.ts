/** Spans for a collector, where the configuration asks for them; without it nothing of this is loaded. */
import { hostname } from 'node:os';
import type { Tracer } from '../../ports/tracer.ts';
import { toNodeName } from '../config/validate/validate-flags.ts';
import { addTracingMetrics } from '../metrics/tracing-metrics.ts';
import type { Foundation } from './foundation.ts';

export async function startTracing({
  loaded,
  clock,
  logger,
  scope,
  metrics,
}: Pick<Foundation, 'loaded' | 'clock' | 'logger' | 'scope' | 'metrics'>): Promise<Tracer | undefined> {
  const { config, flags } = loaded;
  const { tracing } = config;
  if (tracing === undefined) return undefined;
  const { randomBytes } = await import('node:crypto');
  const { parseCollectorEndpoint } = await import('../../adapters/otlp/parse-endpoint.ts');
  const { SpanExporter } = await import('../../adapters/otlp/span-exporter.ts');
  const { SpanTracer } = await import('../../adapters/otlp/span-tracer.ts');
  const host = toNodeName(flags.hostnameOverride, hostname()) ?? hostname();
  const exporter = new SpanExporter({
    endpoint: parseCollectorEndpoint(tracing.endpoint),
    resource: { 'service.name': 'kubelet', 'host.name': host },
    clock,
    logger,
    random: Math.random,
  });
  addTracingMetrics(metrics.registry, () => exporter.counts);
  scope.run(
    (stop) => exporter.run(stop),
    (error) => logger.error('span export loop failed', error),
  );
  return new SpanTracer({
    clock,
    randomBytes,
    ratePerMillion: tracing.samplingRatePerMillion ?? 0,
    onFinished: (span) => exporter.add(span),
  });
}
