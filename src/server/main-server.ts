/**
 * The main port (10250): everything the kubelet reports and does on request,
 * over TLS, for callers the guard admits. Its routes are listed only here.
 */
import { type ComponentFacts, toFlagzRoute, toStatuszRoute } from './debug/component-pages.ts';
import { type ProfileSettings, toProfileRoutes } from './debug/profile-routes.ts';
import { toVerbosityRoute } from './debug/verbosity-route.ts';
import { toErrorReply } from './http/http-exchange.ts';
import { HttpListener } from './http/http-listener.ts';
import type { ListenerLimits } from './http/listener-limits.ts';
import type { ListenerTls } from './http/listener-tls.ts';
import type { Guard } from './http/reply-finder.ts';
import { toRoots } from './http/request-metrics.ts';
import type { Route } from './http/route-list.ts';
import { traceRoutes } from './http/trace-routes.ts';
import { type ContainerLogsParts, toContainerLogsRoute } from './logs/container-logs-route.ts';
import { type NodeLogsParts, toNodeLogsRoute } from './logs/node-logs-route.ts';
import { PAGE_PATH, toPageRoute } from './page/page-route.ts';
import type { PageSource } from './page/page-source.ts';
import { type CheckpointParts, toCheckpointRoute } from './pods/checkpoint-route.ts';
import { toRunningPodsRoute } from './pods/running-pods.ts';
import { DEBUGGING_PATHS, type ReadOnlyServerSettings, toReadOnlyRoutes } from './read-only-server.ts';
import { type RunParts, toRunRoute } from './streaming/run-route.ts';
import { type StreamingParts, toStreamingRoutes } from './streaming/streaming-routes.ts';

/** For callers with more than read access; absent when the configuration turns it off. */
export interface DebuggingParts {
  readonly containers: ContainerAccess;
  readonly component: ComponentPages;
  /** Undefined when the configuration turns profiles off. */
  readonly profiling: Omit<ProfileSettings, 'clock'> | undefined;
  /** The logs of the host; undefined when the configuration turns them off. */
  readonly nodeLogs: Omit<NodeLogsParts, 'clock'> | undefined;
  /** What the page for people shows; undefined without one. */
  readonly page: PageSource | undefined;
  /** Changes how much is logged; undefined when the configuration turns it off. */
  readonly setVerbosity: ((level: number) => void) | undefined;
}

/** What reaches into containers. */
export interface ContainerAccess {
  readonly logs: Omit<ContainerLogsParts, 'pods' | 'clock'>;
  readonly streaming: Omit<StreamingParts, 'pods' | 'clock' | 'log'>;
  readonly run: Omit<RunParts, 'pods' | 'reader'>;
  readonly checkpoint: Omit<CheckpointParts, 'pods' | 'reader' | 'clock'> | undefined;
}

/** What the kubelet says of itself. */
export interface ComponentPages {
  readonly configz: () => string;
  readonly flagz: boolean;
  readonly statusz: boolean;
  readonly facts: Omit<ComponentFacts, 'clock' | 'paths'>;
}

export interface MainServerSettings extends ReadOnlyServerSettings {
  readonly tls: ListenerTls;
  readonly guard: Guard;
  readonly debugging: DebuggingParts | undefined;
  readonly limits?: Partial<ListenerLimits> | undefined;
}

/** A listener that is not started yet. */
export function createMainServer(settings: MainServerSettings): HttpListener {
  const { place, kit, tls, guard, limits, requests } = settings;
  const routes = toMainRoutes(settings);
  const roots = toRoots(routes.map(({ path }) => path));
  const observe = requests?.observer('readwrite', roots);
  const traced = traceRoutes(kit.tracer, routes);
  return new HttpListener({ name: 'main', place, kit, tls, guard, routes: traced, limits, observe });
}

export function toMainRoutes({
  debugging,
  answers,
  kit,
}: Pick<MainServerSettings, 'debugging' | 'answers' | 'kit'>): Route[] {
  const open = toReadOnlyRoutes(answers);
  if (debugging === undefined) return open;
  const { containers, component } = debugging;
  const { streaming, checkpoint } = containers;
  const { clock } = kit;
  const parts = { pods: answers.pods, clock, log: kit.logger, reader: streaming.reader };
  const facts: ComponentFacts = {
    ...component.facts,
    clock,
    paths: () => routes.map(({ path }) => path).toSorted(),
  };
  const routes: Route[] = [
    ...open.filter(({ path }) => !(DEBUGGING_PATHS as readonly string[]).includes(path)),
    toContainerLogsRoute({ ...parts, ...containers.logs }),
    ...toStreamingRoutes({ ...parts, ...streaming }),
    toRunRoute({ ...parts, ...containers.run }),
    toRunningPodsRoute(streaming.reader),
    toConfigzRoute(component.configz),
    ...(debugging.page === undefined ? [] : [toPageRoute(PAGE_PATH, debugging.page)]),
    ...(checkpoint === undefined ? [] : [toCheckpointRoute({ ...parts, ...checkpoint })]),
    ...(component.flagz ? [toFlagzRoute(facts)] : []),
    ...(component.statusz ? [toStatuszRoute(facts)] : []),
    ...(debugging.profiling === undefined
      ? [toDisabled('/debug/pprof/', 'profiling endpoint is disabled.')]
      : toProfileRoutes({ clock, ...debugging.profiling })),
    debugging.nodeLogs === undefined
      ? toDisabled('/logs/', 'logs endpoint is disabled.')
      : toNodeLogsRoute({ ...debugging.nodeLogs, clock }),
    debugging.setVerbosity === undefined
      ? toDisabled('/debug/flags/v', 'flags endpoint is disabled.')
      : toVerbosityRoute(debugging.setVerbosity),
  ];
  return routes;
}

function toConfigzRoute(render: () => string): Route {
  const headers = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' };
  return { path: '/configz', methods: 'any', handle: () => ({ status: 200, headers, body: render() }) };
}

function toDisabled(path: string, text: string): Route {
  return { path, methods: 'any', handle: () => toErrorReply(405, text) };
}
