/** What says whether the agent works, and the server on the health port. */
import { stat } from 'node:fs/promises';
import { storageCalls } from '../../../adapters/linux/storage/storage-fs.ts';
import { findRuntimeProblem } from '../../../server/health/agent-checks.ts';
import type { HealthCheck } from '../../../server/health/health-check.ts';
import { HealthzServer } from '../../../server/health/healthz-server.ts';
import { FileCallWatch } from '../../process/file-call-watch.ts';
import { SilentStorageWatch } from '../../process/silent-storage-watch.ts';
import { describeTakenPort } from '../../process/taken-port.ts';
import type { Foundation } from '../foundation.ts';
import type { NodeWiring } from '../node.ts';
import type { RuntimeWiring } from '../runtime.ts';

export interface HealthSigns {
  readonly runtime: RuntimeWiring;
  readonly node: NodeWiring;
  /** Of the way to the API server. */
  readonly clusterChecks: readonly HealthCheck[];
}

/** Worth knowing, but restarting the agent mends none of them. */
export function toInformationalChecks({ runtime, node, clusterChecks }: HealthSigns): HealthCheck[] {
  const { state } = node;
  return [
    { name: 'runtime', check: () => findRuntimeProblem(state.get('runtime'), state.get('network')) },
    { name: 'runtime-calls', check: () => runtime.slowCalls.describe() },
    ...clusterChecks,
  ];
}

export function watchFileCalls({ loaded, clock, logger, scope }: Foundation): HealthCheck {
  const watch = new FileCallWatch({ clock, touch: () => stat(loaded.flags.rootDir) });
  scope.run(
    (stop) => watch.run(stop),
    (error) => logger.error('file call watch failed', error),
  );
  return watch.check;
}

/** Names file systems that do not answer. */
export function watchStorage({ clock, logger, scope }: Foundation): HealthCheck {
  const watch = new SilentStorageWatch({ clock, logger, calls: storageCalls });
  scope.run(
    (stop) => watch.run(stop),
    (error) => logger.error('storage watch failed', error),
  );
  return watch.check;
}

export function startHealthServer(
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
