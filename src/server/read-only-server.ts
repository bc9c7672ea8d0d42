/**
 * The read-only port (10255), without authentication and off by default:
 * pods and health, nothing that changes or streams. The debugging paths of
 * the main port answer here that they are disabled.
 */
import type { MetricRegistry } from '../base/metric-registry.ts';
import type { Kit } from '../ports/kit.ts';
import { toMetricsRoute } from './debug/metrics-text.ts';
import { type HealthCheck, toHealthRoutes } from './health/health-check.ts';
import type { HealthMetrics } from './health/health-metrics.ts';
import { toErrorReply, toRouterReply } from './http/http-exchange.ts';
import { HttpListener } from './http/http-listener.ts';
import type { ListenerPlace } from './http/listener-settings.ts';
import { type RequestMetrics, toRoots } from './http/request-metrics.ts';
import type { Route } from './http/route-list.ts';
import { traceRoutes } from './http/trace-routes.ts';
import { type PodListing, replyPodList } from './pods/pod-list.ts';
import { type DetailsSource, toCadvisorRoute } from './stats/cadvisor-route.ts';
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

const NO_PAGE = toRouterReply(404, '404: Page Not Found');

/** What every caller that may read gets an answer to. */
export interface OpenAnswers {
  readonly checks: readonly HealthCheck[];
  /** Checks with a path of their own that count for `/healthz` only with `verbose`. */
  readonly informationalChecks?: readonly HealthCheck[];
  readonly pods: PodListing;
  readonly statistics?: StatisticsSource & DetailsSource;
  /** By path. */
  readonly metrics?: Readonly<Record<string, MetricRegistry>>;
  readonly slis?: HealthMetrics;
  /** Also metrics that this release has given up (`showHiddenMetricsForVersion`). */
  readonly showHiddenMetrics?: boolean;
}

export interface ReadOnlyServerSettings {
  readonly place: ListenerPlace;
  readonly answers: OpenAnswers;
  readonly requests?: RequestMetrics | undefined;
  readonly kit: Pick<Kit, 'clock' | 'logger' | 'tracer'>;
}

/** A listener that is not started yet. */
export function createReadOnlyServer(settings: ReadOnlyServerSettings): HttpListener {
  const { place, kit, answers, requests } = settings;
  const routes = toReadOnlyRoutes(answers);
  const roots = toRoots(routes.map(({ path }) => path));
  const observe = requests?.observer('readonly', roots);
  const traced = traceRoutes(kit.tracer, routes);
  return new HttpListener({ name: 'read-only', place, kit, routes: traced, observe });
}

function toStatisticsRoutes(
  statistics: NonNullable<OpenAnswers['statistics']>,
  showHiddenMetrics: boolean,
): Route[] {
  return [
    toSummaryRoute(statistics),
    // What it answered in earlier releases is gone; only a caller that is known gets that answer.
    ...['/stats', '/stats/'].map((path): Route => ({ path, methods: ['GET'], handle: () => NO_PAGE })),
    toResourceMetricsRoute(statistics, showHiddenMetrics),
    toCadvisorRoute(statistics),
  ];
}

export function toReadOnlyRoutes({
  checks,
  informationalChecks,
  pods,
  statistics,
  metrics = {},
  slis,
  showHiddenMetrics = false,
}: OpenAnswers): Route[] {
  return [
    ...toHealthRoutes(checks, informationalChecks, slis?.observe),
    ...(slis === undefined ? [] : [slis.route]),
    { path: '/pods', methods: ['GET'], handle: (request) => replyPodList(pods, request) },
    ...(statistics === undefined ? [] : toStatisticsRoutes(statistics, showHiddenMetrics)),
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
