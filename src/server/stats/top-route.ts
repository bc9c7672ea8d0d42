/** `/top` of the local socket: who uses how much CPU and memory now, and what it was before. */
import { type Clock, sleep } from '../../base/async/clock.ts';
import { AgentError, errorText } from '../../base/errors.ts';
import { type TopReport, toTopReport } from '../../core/stats/top.ts';
import type { NodeStatistics, UsageReading } from '../../ports/host/node-statistics.ts';
import { type HttpReply, toErrorReply, toJsonReply } from '../http/http-exchange.ts';
import type { Route } from '../http/route-list.ts';

/** What is older is not now. */
const MAX_AGE_MS = 1_000;
/** A little more than the least time between the two measurements of a rate. */
const RATE_WAIT_MS = 1_100;

export interface TopParts {
  readonly statistics: Pick<NodeStatistics, 'readUsage' | 'history'>;
  /** Of the machine. */
  readonly cores: number;
}

export function toTopRoute(parts: TopParts, clock: Clock): Route {
  return { path: '/top', methods: ['GET'], handle: (_, signal) => replyTop(parts, clock, signal) };
}

async function replyTop(parts: TopParts, clock: Clock, signal: AbortSignal): Promise<HttpReply> {
  try {
    return toJsonReply(await readTop(parts, clock, signal));
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return toErrorReply(500, `cannot read statistics: ${errorText(error)}`);
  }
}

/** Rejects with AgentError when the node cannot be read. */
export async function readTop(
  { statistics, cores }: TopParts,
  clock: Clock,
  signal: AbortSignal,
): Promise<TopReport> {
  const reading = await readRates(statistics, clock, signal);
  return toTopReport(reading, cores, statistics.history());
}

/** A rate needs two measurements; where there was none lately the second is waited for. */
async function readRates(
  statistics: TopParts['statistics'],
  clock: Clock,
  signal: AbortSignal,
): Promise<UsageReading> {
  const reading = await statistics.readUsage({ maxAgeMs: MAX_AGE_MS, signal });
  if (reading.summary.node.cpu?.usageNanoCores !== undefined) return reading;
  await sleep(clock, RATE_WAIT_MS, signal);
  return statistics.readUsage({ maxAgeMs: 0, signal });
}
