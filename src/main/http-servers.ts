/**
 * The agent's HTTP ports: the local socket, health (when its port is set),
 * the main port over TLS, and the read-only port when configured. Only what
 * is asked for listens.
 */
import type { CriConnection } from '../adapters/cri/connect-cri.ts';
import type { Agent } from '../agent/agent-ports.ts';
import type { RecentEvents } from '../agent/events/recent-events.ts';
import type { NodeStateView } from '../agent/node/node-state.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { Scope } from '../base/scope.ts';
import type { Pod } from '../core/api/pod.ts';
import { toPodUid } from '../core/model/ids.ts';
import type { NodeProfile } from '../core/model/node-profile.ts';
import type { ApiServer } from '../ports/api-server.ts';
import { type HealthCheck, PING } from '../server/health/health-check.ts';
import { HealthMetrics } from '../server/health/health-metrics.ts';
import { HealthzServer } from '../server/health/healthz-server.ts';
import { RequestMetrics } from '../server/http/request-metrics.ts';
import type { PodListing } from '../server/pods/pod-list.ts';
import { createReadOnlyServer } from '../server/read-only-server.ts';
import type { KubeletConfiguration } from './config/kubelet-configuration.ts';
import type { LoadedConfiguration } from './config/load/load-configuration.ts';
import { durationMs } from './config/parse-duration.ts';
import { startLocalPort } from './local-port.ts';
import { type MainPortParts, startMainPort } from './main-port.ts';
import { NodeMetrics } from './metrics/node-metrics.ts';
import type { SlowCallWatch } from './process/slow-call-watch.ts';

/** The loop counts as stuck after so long, or twice the sync frequency if that is longer. */
const SYNC_LIMIT_MS = 300_000;

export interface PortsParts {
  readonly config: KubeletConfiguration;
  readonly agent: Agent;
  readonly state: Pick<NodeStateView, 'get'>;
  readonly slowCalls: SlowCallWatch;
  /** Of the way to the API server. */
  readonly checks?: readonly HealthCheck[];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly scope: Scope;
  /** What the main port needs on top; without it only the other ports open. */
  readonly server?: ServerParts;
}

export interface ServerParts {
  readonly loaded: LoadedConfiguration;
  readonly cri: CriConnection;
  readonly node: NodeProfile;
  readonly cgroupVersion: 1 | 2;
  /** Made before the first call to the runtime, to count them all. */
  readonly metrics: NodeMetrics;
  /** What the local socket tells; without it the sub-commands have nobody to ask. */
  readonly recent?: RecentEvents;
  /** Where tokens and access are reviewed; absent standalone. */
  readonly api?: Pick<ApiServer, 'create'>;
  /** A serving certificate that somebody else looks after. */
  readonly issued?: NonNullable<MainPortParts['issued']>;
  readonly setVerbosity?: (level: number) => void;
}

/** Resolves to the checks that say whether the agent works, when all ports are asked to open. */
export async function startPorts(parts: PortsParts): Promise<readonly HealthCheck[]> {
  const { config, agent, state, slowCalls, clock, logger: log, scope, server } = parts;
  const startedAtMs = clock.now();
  // Worth knowing, but restarting the agent mends none of them.
  const informationalChecks: HealthCheck[] = [
    { name: 'runtime', check: () => state.get('runtime').problem ?? state.get('network') },
    { name: 'runtime-calls', check: () => slowCalls.describe() },
    ...(parts.checks ?? []),
  ];
  if (config.healthzPort > 0) startHealthPort(parts, informationalChecks);
  const metrics = server?.metrics ?? new NodeMetrics();
  metrics.describePods(agent);
  const shared = {
    checks: [PING, toLogCheck(), toSyncLoopCheck(parts)],
    informationalChecks,
    pods: toPodListing(agent),
    metrics: { '/metrics': metrics.registry, '/metrics/probes': metrics.probes },
    slis: new HealthMetrics(),
    requests: new RequestMetrics(metrics.registry, clock),
  };
  if (server?.recent !== undefined) {
    const idleTimeoutMs = durationMs(config.streamingConnectionIdleTimeout);
    const { recent, cri, node } = server;
    startLocalPort({ agent, recent, cri, node, pods: shared.pods, idleTimeoutMs, clock, logger: log, scope });
  }
  if (server !== undefined) {
    const { loaded, node, cgroupVersion } = server;
    const { version, features } = loaded;
    metrics.describeNode({ nodeName: node.nodeName, cgroupVersion, version, features });
    if (config.enableServer)
      await startMainPort({ ...server, startedAtMs, clock, logger: log, scope }, shared);
  }
  if (config.readOnlyPort > 0) {
    const readOnly = createReadOnlyServer({
      ...shared,
      address: config.address,
      port: config.readOnlyPort,
      clock,
      log,
    });
    await readOnly.start();
    scope.defer(() => readOnly.stop());
  }
  return shared.checks;
}

function startHealthPort(
  { config, clock, logger: log, scope }: PortsParts,
  informationalChecks: HealthCheck[],
): void {
  const health = new HealthzServer({
    address: config.healthzBindAddress,
    port: config.healthzPort,
    checks: [PING],
    informationalChecks,
    clock,
    log,
  });
  scope.run(
    (stop) => health.run(stop),
    (error) => log.error('the health port failed', error),
  );
}

/** Lines are written as they come; nothing waits to be flushed, so only a closed output is wrong. */
function toLogCheck(): HealthCheck {
  return { name: 'log', check: () => (process.stderr.destroyed ? 'standard error is closed' : undefined) };
}

/** The runtime is listed at least once a minute, whatever else happens: the agent's loop in one number. */
function toSyncLoopCheck({ agent, clock, config }: PortsParts): HealthCheck {
  const limitMs = Math.max(SYNC_LIMIT_MS, 2 * durationMs(config.syncFrequency));
  const check = (): string | undefined => {
    const last = agent.observer.lastRelistMs;
    if (last === undefined || clock.now() - last <= limitMs) return undefined;
    return `sync Loop took longer than expected: last at ${new Date(last).toISOString()}`;
  };
  return { name: 'syncloop', check };
}

function toPodListing(agent: Agent): PodListing {
  return {
    listPods: () => listPods(agent),
    statusOf: (pod) => agent.board.published.get(toPodUid(pod.metadata.uid))?.status,
  };
}

function listPods({ desired }: Agent): Pod[] {
  return [...desired.records.values()].filter(({ source }) => source !== 'runtime').map(({ pod }) => pod);
}
