/** `/stats/summary`: what the node, its pods and their containers use. */
import { AgentError, errorText } from '../../base/errors.ts';
import { toCpuAndMemory } from '../../core/stats/to-node-stats.ts';
import type { NodeStatistics } from '../../ports/host/node-statistics.ts';
import { type HttpReply, type HttpRequest, toErrorReply, toJsonReply } from '../http/http-exchange.ts';
import type { Route } from '../http/route-list.ts';
import { acceptsJson, NOT_ACCEPTABLE } from '../pods/pod-list.ts';

export interface StatisticsSource extends Pick<NodeStatistics, 'read' | 'readUsage'>, SharedAge {}

export interface SharedAge {
  /** Callers get a reading of at most this age; 5 s unless given. */
  readonly sharedForMs?: number;
}

const STATISTICS_AGE_MS = 5_000;

/** The oldest reading that a caller gets. */
export function maxAgeOf({ sharedForMs = STATISTICS_AGE_MS }: SharedAge): number {
  return sharedForMs;
}

export function toSummaryRoute(statistics: StatisticsSource): Route {
  return {
    path: '/stats/summary',
    methods: ['GET', 'POST'],
    handle: (request, signal) => replySummary(statistics, request, signal),
  };
}

async function replySummary(
  statistics: StatisticsSource,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpReply> {
  if (!acceptsJson(request.headers['accept'])) return NOT_ACCEPTABLE;
  const values = [...request.query.getAll('only_cpu_and_memory'), ...readForm(request)];
  const isReduced = values.length === 1 && values[0] === 'true';
  const wanted = { maxAgeMs: maxAgeOf(statistics), signal };
  try {
    if (!isReduced) return toJsonReply((await statistics.read(wanted)).summary);
    return toJsonReply(toCpuAndMemory((await statistics.readUsage(wanted)).summary));
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return toErrorReply(500, `Internal Error: ${errorText(error)}`);
  }
}

/** A POST may carry its parameters as a form. */
function readForm({ method, headers, body }: HttpRequest): string[] {
  const [type = ''] = String(headers['content-type'] ?? '').split(';');
  if (method !== 'POST' || type.trim().toLowerCase() !== 'application/x-www-form-urlencoded') return [];
  return new URLSearchParams(Buffer.from(body).toString()).getAll('only_cpu_and_memory');
}
