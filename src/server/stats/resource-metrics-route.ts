/** `/metrics/resource`: CPU, memory and swap, each sample with the time it was measured. */
import { AgentError } from '../../base/errors.ts';
import { toResourceMetrics } from '../../core/stats/resource-metrics.ts';
import { replyMetrics } from '../debug/metrics-text.ts';
import type { HttpReply, HttpRequest } from '../http/http-exchange.ts';
import type { Route } from '../http/route-list.ts';
import { STATISTICS_AGE_MS, type StatisticsSource } from './summary-route.ts';

export function toResourceMetricsRoute(statistics: StatisticsSource): Route {
  return {
    path: '/metrics/resource',
    methods: 'any',
    handle: (request, signal) => replyResources(statistics, request, signal),
  };
}

/** What cannot be read is a metric too. */
async function replyResources(
  statistics: StatisticsSource,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpReply> {
  try {
    const reading = await statistics.readUsage({ maxAgeMs: STATISTICS_AGE_MS, signal });
    return replyMetrics(request, { read: () => toResourceMetrics(reading) });
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return replyMetrics(request, { read: () => toResourceMetrics(undefined) });
  }
}
