/**
 * The read-only port (10255), without authentication and off by default:
 * pods and health, nothing that changes or streams. The debugging paths of
 * the main port answer here that they are disabled.
 */
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { MetricRegistry } from '../base/metric-registry.ts';
import { toMetricsRoute } from './debug/metrics-text.ts';
import { type HealthCheck, toHealthRoutes } from './health/health-check.ts';
import type { HealthMetrics } from './health/health-metrics.ts';
import { toErrorReply } from './http/http-exchange.ts';
import { HttpListener } from './http/http-listener.ts';
import { type RequestMetrics, toRoots } from './http/request-metrics.ts';
import type { Route } from './http/route-list.ts';
import { type PodListing, replyPodList } from './pods/pod-list.ts';
import { toResourceMetricsRoute } from './stats/resource-metrics-route.ts';
import { type StatisticsSource, toSummaryRoute } from './stats/summary-route.ts';

/** Disabled here, and on the main port when the configuration says so. */
export const DEBUGGING_PATHS = [
  '/run/',
  '/exec/',
  '/attach/',
  '/portForward/',
  '/containerLogs/',
  '/runningpods/',
  '/debug/pprof/',
  '/logs/',
] as const;

export interface ReadOnlyServerSettings {
  readonly address: string;
  readonly port: number;
  readonly checks: readonly HealthCheck[];
  /** Checks with a path of their own that count for `/healthz` only with `verbose`. */
  readonly informationalChecks?: readonly HealthCheck[];
  readonly pods: PodListing;
  readonly statistics?: StatisticsSource;
  /** By path. */
  readonly metrics?: Readonly<Record<string, MetricRegistry>>;
  readonly slis?: HealthMetrics;
  readonly requests?: RequestMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A listener that is not started yet. */
export function createReadOnlyServer(settings: ReadOnlyServerSettings): HttpListener {
  const { address, port, clock, log, requests } = settings;
  const routes = toReadOnlyRoutes(settings);
  const roots = toRoots(routes.map(({ path }) => path));
  return new HttpListener({
    name: 'read-only',
    address,
    port,
    clock,
    log,
    routes,
    ...(requests === undefined ? {} : { observe: requests.observer('readonly', roots) }),
  });
}

export function toReadOnlyRoutes({
  checks,
  informationalChecks,
  pods,
  statistics,
  metrics = {},
  slis,
}: Pick<
  ReadOnlyServerSettings,
  'checks' | 'informationalChecks' | 'pods' | 'statistics' | 'metrics' | 'slis'
>): Route[] {
  return [
    ...toHealthRoutes(checks, informationalChecks, slis?.observe),
    ...(slis === undefined ? [] : [slis.route]),
    { path: '/pods', methods: ['GET'], handle: (request) => replyPodList(pods, request) },
    ...(statistics === undefined ? [] : [toSummaryRoute(statistics), toResourceMetricsRoute(statistics)]),
    ...Object.entries(metrics).map(([path, registry]) => toMetricsRoute(path, registry)),
    ...DEBUGGING_PATHS.map(
      (path): Route => ({
        path,
        methods: 'any',
        handle: () => toErrorReply(405, 'Debug endpoints are disabled.'),
      }),
    ),
  ];
}
