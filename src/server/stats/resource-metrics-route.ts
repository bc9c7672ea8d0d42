/** `/metrics/resource`: CPU, memory and swap, each sample with the time it was measured. */
import { AgentError } from '../../base/errors.ts';
import { toResourceMetrics } from '../../core/stats/resource-metrics.ts';
import type { UsageReading } from '../../ports/host/node-statistics.ts';
import { replyMetrics } from '../debug/metrics-text.ts';
import type { Route } from '../http/route-list.ts';
import { maxAgeOf, type StatisticsSource } from './summary-route.ts';

/** `showHidden`: also what this release no longer shows. */
export function toResourceMetricsRoute(statistics: StatisticsSource, showHidden = false): Route {
  return {
    path: '/metrics/resource',
    methods: 'any',
    handle: async (request, signal) => {
      const reading = await readResources(statistics, signal);
      return replyMetrics(request, { read: () => toResourceMetrics(reading, showHidden) });
    },
  };
}

/** What cannot be read is a metric too. */
async function readResources(
  statistics: StatisticsSource,
  signal: AbortSignal,
): Promise<UsageReading | undefined> {
  try {
    return await statistics.readUsage({ maxAgeMs: maxAgeOf(statistics), signal });
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return undefined;
  }
}
