/**
 * What a node of a cluster reports of itself: its object, registered and kept
 * true, and its lease. These run from the start, whatever pods do.
 */
import { toOnlinePart } from '../../agent/cluster/online-part.ts';
import { NodeLease } from '../../agent/node/node-lease.ts';
import { isNodeReady } from '../../core/node-status/node-status.ts';
import { toClusterChecks } from '../../server/health/cluster-checks.ts';
import type { HealthCheck } from '../../server/health/health-check.ts';
import type { Foundation } from './foundation.ts';
import { createReporter, type NodeReporting, toHeartbeat } from './node-reporter.ts';

/** Starts reporting in the scope; the checks say whether the API server is still there. Standalone there are none. */
export function startNodeReports(foundation: Foundation, reported: NodeReporting): readonly HealthCheck[] {
  const { connection, csi } = reported;
  if (connection === undefined || csi === undefined) return [];
  const { loaded, clock, logger, scope } = foundation;
  const { client, own, objects, identity } = connection;
  const reporter = createReporter(foundation, { ...reported, connection, csi });
  const lease = new NodeLease({
    ...toHeartbeat(foundation, { ...reported, connection, csi }),
    durationSeconds: loaded.config.nodeLeaseDurationSeconds,
  });
  scope.use(reported.node.state.subscribe((key) => reporter.wake(key)));
  scope.use(
    own.subscribe(() => own.current !== undefined && isNodeReady(own.current) && reported.startup.ready()),
  );
  scope.defer(() => objects.close());
  scope.defer(() => connection.credentials.close());
  const whenReady = (stop: AbortSignal): Promise<void> => identity.whenReady(stop);
  const { services, runtimeClasses, events } = connection;
  const loops = { own, reporter, lease, services, runtimeClasses, csi, events };
  for (const [name, loop] of Object.entries(loops)) {
    const part = toOnlinePart({ name, run: (stop) => loop.run(stop) }, { logger, whenReady });
    scope.run(
      (stop) => part.run(stop),
      () => {},
    );
  }
  scope.run(
    (stop) => client.run(stop),
    (error) => logger.error('a cluster loop failed', error, { part: 'API client' }),
  );
  const { podWatch } = connection;
  const signs = {
    watches: { pods: () => podWatch.health(), 'our node': () => own.health() },
    leaseRenewedAtMs: () => lease.renewedAtMs,
    leaseDurationMs: loaded.config.nodeLeaseDurationSeconds * 1000,
    startedAtMs: clock.steady(),
  };
  return toClusterChecks(signs, clock);
}
