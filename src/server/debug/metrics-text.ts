/** Metrics in the text format of Prometheus, version 0.0.4. */
import type { MetricFamily, MetricRegistry, Sample } from '../../base/metric-registry.ts';
import { toGzipReply } from '../http/gzip-reply.ts';
import type { HttpReply, HttpRequest } from '../http/http-exchange.ts';
import type { Route } from '../http/route-list.ts';

/** A family without series is not printed. */
export function renderMetrics(families: readonly MetricFamily[]): string {
  return families.map(renderFamily).join('');
}

export function toMetricsRoute(path: string, registry: MetricRegistry): Route {
  return { path, methods: 'any', handle: (request) => replyMetrics(request, registry) };
}

/** What a scrape of the registry gets. */
export function replyMetrics(
  request: Pick<HttpRequest, 'headers'>,
  registry: Pick<MetricRegistry, 'read'>,
): HttpReply {
  return toGzipReply(request, {
    status: 200,
    headers: metricsHeaders(),
    body: renderMetrics(registry.read()),
  });
}

export function metricsHeaders(): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores',
    'process-start-time-unix': String(Math.trunc(performance.timeOrigin / 1000)),
  };
}

function renderFamily(family: MetricFamily): string {
  const samples = family.samples();
  if (samples.length === 0) return '';
  const { name, help, stability, kind } = family;
  const text = `${stability === 'NONE' ? '' : `[${stability}] `}${help}`
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n');
  const lines = samples.map((sample) => renderSample(name, sample));
  return `# HELP ${name} ${text}\n# TYPE ${name} ${kind}\n${lines.join('')}`;
}

function renderSample(name: string, { suffix, labels, value, timestampMs }: Sample): string {
  const pairs = labels.map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  const braces = pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
  const time = timestampMs === undefined ? '' : ` ${Math.trunc(timestampMs)}`;
  return `${name}${suffix}${braces} ${renderNumber(value)}${time}\n`;
}

function escapeLabel(text: string): string {
  if (!/["\\\n]/.test(text)) return text;
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function renderNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  return String(value);
}
