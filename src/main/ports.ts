/**
 * The agent's HTTP ports: health always (when its port is set), pods on the
 * read-only port when configured. Only what is asked for listens.
 */
import type { Agent } from '../agent/assemble-agent.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { Scope } from '../base/scope.ts';
import type { Pod } from '../core/api/pod.ts';
import { toPodUid } from '../core/pod/ids.ts';
import { type HealthCheck, PING } from '../server/health-check.ts';
import { HealthzServer } from '../server/healthz-server.ts';
import { createReadOnlyServer } from '../server/read-only-server.ts';
import type { KubeletConfiguration } from './config/kubelet-configuration.ts';
import type { SlowCallWatch } from './slow-call-watch.ts';

export interface PortsParts {
  readonly config: KubeletConfiguration;
  readonly agent: Agent;
  readonly slowCalls: SlowCallWatch;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly scope: Scope;
}

export async function startPorts({
  config,
  agent,
  slowCalls,
  clock,
  logger: log,
  scope,
}: PortsParts): Promise<void> {
  // Asked one by one: a hanging call or a quiet runtime is worth knowing, but restarting the agent mends neither.
  const asides: HealthCheck[] = [
    { name: 'runtime', check: () => agent.monitor.runtimeProblem ?? agent.monitor.networkProblem },
    { name: 'runtime-calls', check: () => slowCalls.describe() },
  ];
  if (config.healthzPort > 0) {
    const health = new HealthzServer({
      address: config.healthzBindAddress,
      port: config.healthzPort,
      checks: [PING],
      asides,
      clock,
      log,
    });
    scope.run(
      (stop) => health.run(stop),
      (error) => log.error('the health port failed', error),
    );
  }
  if (config.readOnlyPort > 0) {
    const readOnly = createReadOnlyServer({
      address: config.address,
      port: config.readOnlyPort,
      checks: [PING],
      asides,
      pods: {
        listPods: () => listPods(agent),
        statusOf: (pod) => agent.board.published.get(toPodUid(pod.metadata.uid))?.status,
      },
      clock,
      log,
    });
    await readOnly.start();
    scope.defer(() => readOnly.stop());
  }
}

function listPods({ desired }: Agent): Pod[] {
  return [...desired.records.values()].filter(({ source }) => source !== 'runtime').map(({ pod }) => pod);
}
