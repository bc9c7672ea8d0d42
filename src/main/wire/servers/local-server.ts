/**
 * Opens the local socket of the sub-commands. Without it the
 * sub-commands do not work, but the agent does: a failure is logged and retried.
 */
import { availableParallelism } from 'node:os';
import type { CriConnection } from '../../../adapters/cri/connect-cri.ts';
import { CriStreaming } from '../../../adapters/cri/cri-streaming.ts';
import { ContainerLogReader } from '../../../adapters/linux/logs/container-log-reader.ts';
import type { Agent } from '../../../agent/agent-ports.ts';
import type { RejectedManifests } from '../../../agent/desired/rejected-manifests.ts';
import type { RecentEvents } from '../../../agent/events/recent-events.ts';
import { errorText } from '../../../base/errors.ts';
import { toPodUid } from '../../../core/model/ids.ts';
import type { NodeProfile } from '../../../core/model/node-profile.ts';
import type { ConfigurationReporter } from '../../../ports/host/configuration-report.ts';
import { keepListening } from '../../../server/http/keep-listening.ts';
import { createLocalServer, type LocalServerSettings } from '../../../server/local-server.ts';
import type { PodListing } from '../../../server/pods/pod-list.ts';
import { toLocalSocket } from '../../config/local-socket.ts';
import { durationMs } from '../../config/parse-duration.ts';
import type { Foundation } from '../foundation.ts';
import { explain, markDeletion, subscribePods } from './shown-pods.ts';

const RETRY_MS = 30_000;

export interface LocalServerParts {
  readonly agent: Agent;
  readonly events: RecentEvents;
  readonly rejected: RejectedManifests;
  readonly configuration: ConfigurationReporter;
  readonly cri: CriConnection;
  readonly node: Pick<NodeProfile, 'nodeName' | 'rootDir' | 'podLogsDir'>;
  readonly pods: PodListing;
}

export function startLocalServer(
  foundation: Foundation,
  rootDir: string,
  settings: LocalServerSettings,
): void {
  const { clock, logger, scope } = foundation;
  const socketPath = toLocalSocket(rootDir);
  const listener = createLocalServer(socketPath, settings);
  const onOpen = (): void =>
    logger.debug({ file: 'local-server', level: 1 }, 'local socket open', { socket: socketPath });
  const onUnavailable = (error: unknown): void =>
    logger.warn('cannot open the local socket, retrying', { err: errorText(error), retryMs: RETRY_MS });
  scope.run(
    (stop) => keepListening({ listener, retryMs: RETRY_MS, clock, onOpen, onUnavailable }, stop),
    (error) => logger.error('local server failed', error),
  );
}

/** What the local socket answers, and the page shows. */
export function toLocalSettings(
  { loaded, clock, logger }: Foundation,
  parts: LocalServerParts,
): Omit<LocalServerSettings, 'page'> {
  const { agent, events, rejected, cri, node, pods } = parts;
  return {
    nodeName: node.nodeName,
    node: {
      about: {
        version: loaded.version,
        manifests: loaded.config.staticPodPath,
        runtimeEndpoint: loaded.config.imageServiceEndpoint || loaded.config.containerRuntimeEndpoint,
      },
      statistics: agent.statistics,
      cores: availableParallelism(),
      images: agent.imageCollector,
      evictor: agent.evictor,
      resources: agent.resources,
      configuration: parts.configuration,
    },
    pods: {
      ...pods,
      listPods: () => pods.listPods().map((pod) => markDeletion(agent, pod)),
      onChange: (listener) => subscribePods(agent, listener),
      rejected,
      operate: {
        retry: ({ metadata }) => agent.operator.retry(toPodUid(metadata.uid)),
        restart: ({ metadata }, container) => agent.operator.restart(toPodUid(metadata.uid), container),
      },
      timeline: ({ metadata }) => agent.timelines.read(toPodUid(metadata.uid)),
    },
    explain: (pod) => explain(agent, events, pod),
    events,
    containers: {
      logs: {
        runtime: cri.reader,
        logs: new ContainerLogReader({ root: node.podLogsDir, clock }),
        lastSeen: (id) => agent.observer.lastSeen(id),
        splitStreams: true,
      },
      streaming: {
        reader: cri.reader,
        streaming: new CriStreaming(cri.client),
        idleTimeoutMs: durationMs(loaded.config.streamingConnectionIdleTimeout),
        // The sub-commands speak WebSocket whatever the gate for clients from elsewhere says.
        translateWebSockets: true,
      },
    },
    kit: { clock, logger },
  };
}
