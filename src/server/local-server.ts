/**
 * The local socket, for root on the node: what the sub-commands of the
 * program use. Its routes are listed only here. File permissions are its
 * guard; it is not reachable over the network.
 */

import type { ConfigurationReporter } from '../ports/host/configuration-report.ts';
import type { EvictionReport, EvictionReporter } from '../ports/host/eviction-report.ts';
import type { ResourceReporter } from '../ports/host/resource-reporter.ts';
import type { Kit } from '../ports/kit.ts';
import type { ImageReporter } from '../ports/runtime/image-report.ts';
import { type HttpReply, type HttpRequest, toJsonReply, toStreamReply } from './http/http-exchange.ts';
import { HttpListener } from './http/http-listener.ts';
import type { ListenerLimits } from './http/listener-limits.ts';
import type { Route } from './http/route-list.ts';
import { streamChanges, type WatchedList } from './http/watch-stream.ts';
import { type ContainerLogsParts, toContainerLogsRoute } from './logs/container-logs-route.ts';
import type { PageAddress } from './page/page-server.ts';
import { type EventListing, toEventList, toNamedEvents } from './pods/event-list.ts';
import { type ExplainParts, toExplainRoutes } from './pods/explain-route.ts';
import { type OperateParts, toOperateRoutes } from './pods/operate-routes.ts';
import { type PodListing, toPodList } from './pods/pod-list.ts';
import { type RejectedListing, toRejectedList, withRejected } from './pods/rejected-list.ts';
import { type TimelineParts, toTimelineRoute } from './pods/timeline-route.ts';
import { type StatisticsSource, toSummaryRoute } from './stats/summary-route.ts';
import { type TopParts, toTopRoute } from './stats/top-route.ts';
import { type StreamingParts, toStreamingRoutes } from './streaming/streaming-routes.ts';

/** What a sub-command cannot know of the kubelet it asks. */
export interface AboutNode {
  readonly version: string;
  /** The manifest directory or file; empty when there is none. */
  readonly manifests: string;
  /** Where its runtime is. */
  readonly runtimeEndpoint?: string;
}

/** The runtime may be slow to list or to count. */
const RUNTIME_PATIENCE_MS = 20_000;

export interface LocalPods extends PodListing {
  /** Calls the listener when a pod or its status may have changed. */
  readonly onChange: (listener: () => void) => Disposable;
  readonly rejected: RejectedListing;
  readonly timeline: TimelineParts['timeline'];
  readonly operate: OperateParts['operate'];
}

/** The node itself, and what it uses. */
export interface LocalNode {
  readonly about: AboutNode;
  readonly statistics: StatisticsSource & TopParts['statistics'];
  readonly cores: number;
  readonly images: ImageReporter;
  /** Undefined where nothing is watched. */
  readonly evictor: EvictionReporter | undefined;
  readonly resources: ResourceReporter;
  readonly configuration: ConfigurationReporter;
}

export interface LocalServerSettings {
  readonly kit: Pick<Kit, 'clock' | 'logger'>;
  readonly nodeName: string;
  readonly pods: LocalPods;
  readonly explain: ExplainParts['explain'];
  readonly events: EventListing;
  readonly containers: {
    readonly logs: Omit<ContainerLogsParts, 'pods' | 'clock'>;
    readonly streaming: Omit<StreamingParts, 'pods' | 'clock' | 'log'>;
  };
  readonly node: LocalNode;
  readonly page: () => PageAddress;
}

/** Its one caller is root, who watches pods and follows logs for as long as a run lasts. */
const LIMITS: Partial<ListenerLimits> = { replyTimeoutMs: Number.POSITIVE_INFINITY };

/** A listener that is not started yet. */
export function createLocalServer(socketPath: string, settings: LocalServerSettings): HttpListener {
  const { kit } = settings;
  const routes = toLocalRoutes(settings);
  return new HttpListener({ name: 'local', place: { socketPath }, kit, routes, limits: LIMITS });
}

function toLocalRoutes(settings: LocalServerSettings): Route[] {
  const { kit, nodeName, pods, explain, containers } = settings;
  const { rejected } = pods;
  const events = withRejected(settings.events, rejected, nodeName);
  const { clock } = kit;
  const parts = { pods, clock, log: kit.logger };
  const podList: WatchedList = {
    read: () => new Map((toPodList(pods).items ?? []).map((pod) => [pod.metadata.uid, pod])),
    subscribe: pods.onChange,
  };
  const eventList: WatchedList = {
    read: () => toNamedEvents(events.list(), nodeName),
    subscribe: (listener) => events.subscribe(listener),
  };
  const follow = (list: WatchedList, whole: () => unknown, { query }: HttpRequest): HttpReply =>
    query.get('watch') === '1'
      ? toStreamReply((sink, signal) => streamChanges(list, sink, clock, signal))
      : toJsonReply(whole());
  return [
    {
      path: '/pods',
      methods: ['GET'],
      handle: (request) => follow(podList, () => toPodList(pods), request),
    },
    {
      path: '/events',
      methods: ['GET'],
      handle: (request) => follow(eventList, () => toEventList(events.list(), nodeName), request),
    },
    { path: '/page', methods: ['GET'], handle: () => toJsonReply(settings.page()) },
    { path: '/about', methods: ['GET'], handle: () => toJsonReply(settings.node.about) },
    { path: '/rejected', methods: ['GET'], handle: () => toJsonReply(toRejectedList(rejected, nodeName)) },
    {
      path: '/images',
      methods: ['GET'],
      handle: async () =>
        toJsonReply(await settings.node.images.report(AbortSignal.timeout(RUNTIME_PATIENCE_MS))),
    },
    {
      path: '/eviction',
      methods: ['GET'],
      handle: async () => toJsonReply(await reportEviction(settings.node.evictor)),
    },
    {
      path: '/resources',
      methods: ['GET'],
      handle: () => toJsonReply(settings.node.resources.report()),
    },
    {
      path: '/configuration',
      methods: ['GET'],
      handle: async () => toJsonReply(await settings.node.configuration.report()),
    },
    ...toExplainRoutes({ pods, explain }),
    toTimelineRoute({ pods, timeline: pods.timeline }),
    ...toOperateRoutes({ pods, operate: pods.operate }),
    toContainerLogsRoute({ ...parts, ...containers.logs }),
    ...toStreamingRoutes({ ...parts, ...containers.streaming }),
    toSummaryRoute(settings.node.statistics),
    toTopRoute(settings.node, clock),
  ];
}

async function reportEviction(evictor: EvictionReporter | undefined): Promise<EvictionReport> {
  if (evictor === undefined) return { signals: [], conditions: [] };
  return evictor.report(AbortSignal.timeout(RUNTIME_PATIENCE_MS));
}
