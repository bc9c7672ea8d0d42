/** `/metrics/cadvisor`: every number of every cgroup, by the names that cAdvisor gave them. */
import { AgentError } from '../../base/errors.ts';
import type { NodeStatistics } from '../../ports/host/node-statistics.ts';
import { toGzipReply } from '../http/gzip-reply.ts';
import type { HttpReply, HttpRequest } from '../http/http-exchange.ts';
import type { Route } from '../http/route-list.ts';
import { maxAgeOf, type SharedAge } from './summary-route.ts';

export interface DetailsSource extends Pick<NodeStatistics, 'readDetails'>, SharedAge {}

export function toCadvisorRoute(statistics: DetailsSource): Route {
  return {
    path: '/metrics/cadvisor',
    methods: 'any',
    handle: (request, signal) => replyDetails(statistics, request, signal),
  };
}

async function replyDetails(
  statistics: DetailsSource,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpReply> {
  const { toDetailsReply, toFailedReply } = await import('./cadvisor-reply.ts');
  try {
    const reading = await statistics.readDetails({ maxAgeMs: maxAgeOf(statistics), signal });
    return toGzipReply(request, toDetailsReply(reading));
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return toFailedReply();
  }
}
