/**
 * The servers of the agent: the local socket, health (when its port is set),
 * the main server over TLS, and the read-only server when configured. Only
 * what is asked for listens.
 */
import { stat } from 'node:fs/promises';
import type { Agent } from '../../agent/agent-ports.ts';
import type { RejectedManifests } from '../../agent/desired/rejected-manifests.ts';
import type { RecentEvents } from '../../agent/events/recent-events.ts';
import { toPodUid } from '../../core/model/ids.ts';
import { findRuntimeProblem, toLogCheck, toSyncLoopCheck } from '../../server/health/agent-checks.ts';
import { type HealthCheck, PING } from '../../server/health/health-check.ts';
import { HealthMetrics } from '../../server/health/health-metrics.ts';
import { HealthzServer } from '../../server/health/healthz-server.ts';
import { RequestMetrics } from '../../server/http/request-metrics.ts';
import type { PodListing } from '../../server/pods/pod-list.ts';
import { createReadOnlyServer } from '../../server/read-only-server.ts';
import { durationMs } from '../config/parse-duration.ts';
import { FileCallWatch } from '../process/file-call-watch.ts';
import { describeTakenPort, startListening } from '../process/taken-port.ts';
import type { Foundation } from './foundation.ts';
import { startLocalServer } from './local-server.ts';
import { type MainServerParts, type SharedAnswers, startMainServer } from './main-server.ts';
import type { NodeWiring } from './node.ts';
import type { RuntimeWiring } from './runtime.ts';

export interface ServedAgent {
  readonly runtime: RuntimeWiring;
  readonly node: NodeWiring;
  readonly agent: Agent;
  readonly events: RecentEvents;
  readonly rejected: RejectedManifests;
  /** Of the way to the API server. */
  readonly clusterChecks: readonly HealthCheck[];
  readonly api: MainServerParts['api'];
  readonly issued: MainServerParts['issued'];
}

/** Resolves to the checks that say whether the agent works, when all servers are asked to listen. */
export async function startServers(
  foundation: Foundation,
  served: ServedAgent,
): Promise<readonly HealthCheck[]> {
  const { loaded, clock, metrics } = foundation;
  const { runtime, node, agent, events, api, issued } = served;
  const { cri } = runtime;
  const { profile } = node;
  const startedAtMs = clock.now();
  const syncMs = durationMs(loaded.config.syncFrequency);
  const informationalChecks = toInformationalChecks(served);
  const fileCalls = watchFileCalls(foundation);
  startHealthServer(foundation, [PING, fileCalls], informationalChecks);
  metrics.describePods(agent);
  const answers = {
    checks: [
      PING,
      toLogCheck(process.stderr),
      toSyncLoopCheck({ clock, observer: agent.observer, syncMs }),
      fileCalls,
    ],
    informationalChecks,
    pods: toPodListing(agent),
    statistics: agent.statistics,
    metrics: { '/metrics': metrics.registry, '/metrics/probes': metrics.probes },
    slis: new HealthMetrics(),
  };
  const shared = { answers, requests: new RequestMetrics(metrics.registry, clock) };
  startLocalServer(foundation, {
    agent,
    events,
    rejected: served.rejected,
    cri,
    node: profile,
    pods: answers.pods,
  });
  const { version, features } = loaded;
  const cgroupVersion = node.machine.cgroup.version;
  metrics.describeNode({ nodeName: profile.nodeName, cgroupVersion, version, features });
  if (loaded.config.enableServer)
    await startMainServer(
      foundation,
      { cri, node: profile, observer: agent.observer, startedAtMs, api, issued },
      shared,
    );
  await startReadOnlyServer(foundation, shared);
  return answers.checks;
}

/** Worth knowing, but restarting the agent mends none of them. */
function toInformationalChecks({ runtime, node, clusterChecks }: ServedAgent): HealthCheck[] {
  const { state } = node;
  return [
    { name: 'runtime', check: () => findRuntimeProblem(state.get('runtime'), state.get('network')) },
    { name: 'runtime-calls', check: () => runtime.slowCalls.describe() },
    ...clusterChecks,
  ];
}

function watchFileCalls({ loaded, clock, logger, scope }: Foundation): HealthCheck {
  const watch = new FileCallWatch({ clock, touch: () => stat(loaded.flags.rootDir) });
  scope.run(
    (stop) => watch.run(stop),
    (error) => logger.error('file call watch failed', error),
  );
  return watch.check;
}

function startHealthServer(
  { loaded, clock, logger, scope }: Foundation,
  checks: HealthCheck[],
  informationalChecks: HealthCheck[],
): void {
  const { healthzBindAddress: address, healthzPort: port } = loaded.config;
  if (port <= 0) return;
  const health = new HealthzServer({
    address,
    port,
    checks,
    informationalChecks,
    clock,
    log: logger,
    explain: (error) => describeTakenPort(error, { setting: 'healthzPort', port }),
  });
  scope.run(
    (stop) => health.run(stop),
    (error) => logger.error('health server failed', error),
  );
}

async function startReadOnlyServer(
  { loaded, clock, logger, scope }: Foundation,
  shared: SharedAnswers,
): Promise<void> {
  const { address, readOnlyPort: port } = loaded.config;
  if (port <= 0) return;
  const readOnly = createReadOnlyServer({ ...shared, place: { address, port }, kit: { clock, logger } });
  scope.defer(() => readOnly.stop());
  await startListening(readOnly, { setting: 'readOnlyPort', port });
}

function toPodListing({ desired, board }: Agent): PodListing {
  const wanted = () => [...desired.records.values()].filter(({ source }) => source !== 'runtime');
  return {
    listPods: () => wanted().map(({ pod }) => pod),
    statusOf: (pod) => board.published.get(toPodUid(pod.metadata.uid))?.status,
  };
}
