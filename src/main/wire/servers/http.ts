/**
 * The servers of the agent: the local socket, health (when its port is set),
 * the main server over TLS, and the read-only server when configured. Only
 * what is asked for listens.
 */
import type { Agent } from '../../../agent/agent-ports.ts';
import type { RejectedManifests } from '../../../agent/desired/rejected-manifests.ts';
import type { RecentEvents } from '../../../agent/events/recent-events.ts';
import { MetricRegistry } from '../../../base/metric-registry.ts';
import type { ConfigurationReporter } from '../../../ports/host/configuration-report.ts';
import { toLogCheck, toSyncLoopCheck } from '../../../server/health/agent-checks.ts';
import { type HealthCheck, PING } from '../../../server/health/health-check.ts';
import { HealthMetrics } from '../../../server/health/health-metrics.ts';
import { RequestMetrics } from '../../../server/http/request-metrics.ts';
import { durationMs } from '../../config/parse-duration.ts';
import { addStartTime } from '../../metrics/process-metrics.ts';
import type { Foundation } from '../foundation.ts';
import {
  type HealthSigns,
  startHealthServer,
  toInformationalChecks,
  watchFileCalls,
  watchStorage,
} from './health.ts';
import { startLocalServer, toLocalSettings } from './local-server.ts';
import { type CommonAnswers, type MainServerParts, startMainServer } from './main-server.ts';
import { startPage, toPageSource } from './page.ts';
import { startReadOnlyServer } from './read-only-server.ts';
import { toPodListing } from './shown-pods.ts';

export interface ServedAgent extends HealthSigns {
  readonly agent: Agent;
  readonly events: RecentEvents;
  readonly rejected: RejectedManifests;
  readonly configuration: ConfigurationReporter;
  readonly api: MainServerParts['api'];
  readonly issued: MainServerParts['issued'];
}

function createHealthMetrics(): HealthMetrics {
  const registry = new MetricRegistry();
  addStartTime(registry, 'ALPHA');
  return new HealthMetrics(registry);
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
  const informationalChecks = [...toInformationalChecks(served), watchStorage(foundation)];
  const fileCalls = watchFileCalls(foundation);
  startHealthServer(foundation, [PING, fileCalls], informationalChecks);
  metrics.describePods(agent, clock);
  const answers = {
    checks: [
      PING,
      toLogCheck(process.stderr),
      toSyncLoopCheck({ clock, observer: agent.observer, syncMs }),
      { name: 'device-plugin', check: () => agent.devices?.plugins.problem },
      fileCalls,
    ],
    informationalChecks,
    pods: toPodListing(agent),
    statistics: toSharedStatistics(foundation, agent.statistics),
    metrics: { '/metrics': metrics.registry, '/metrics/probes': metrics.probes },
    slis: createHealthMetrics(),
    showHiddenMetrics: loaded.config.showHiddenMetricsForVersion !== '',
  };
  const shared = { answers, requests: new RequestMetrics(metrics.registry, clock) };
  const local = toLocalSettings(foundation, {
    agent,
    events,
    rejected: served.rejected,
    configuration: served.configuration,
    cri,
    node: profile,
    pods: answers.pods,
  });
  const pageSource = toPageSource(local, node.state);
  const page = await startPage(foundation, pageSource, profile.rootDir);
  startLocalServer(foundation, profile.rootDir, { ...local, page });
  const { version, features } = loaded;
  const cgroupVersion = node.machine.cgroup.version;
  metrics.describeNode({ nodeName: profile.nodeName, cgroupVersion, version, features });
  if (loaded.config.enableServer)
    await startMainServer(
      foundation,
      { cri, node: profile, observer: agent.observer, startedAtMs, api, issued, page: pageSource },
      shared,
    );
  await startReadOnlyServer(foundation, shared);
  return answers.checks;
}

/**
 * Upstream's numbers are as old as its housekeeping, which is as long again where nothing changes; here a caller
 * gets numbers of half that age at most.
 */
function toSharedStatistics(
  { loaded }: Foundation,
  statistics: Agent['statistics'],
): NonNullable<CommonAnswers['answers']['statistics']> {
  return {
    read: (request) => statistics.read(request),
    readUsage: (request) => statistics.readUsage(request),
    readDetails: (request) => statistics.readDetails(request),
    sharedForMs: Math.max(0, durationMs(loaded.flags.housekeepingInterval) / 2),
  };
}
