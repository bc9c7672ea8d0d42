/** The connection to the container runtime, and what watches its calls. */
import { type CriConnection, type CriSettings, connectCri } from '../../adapters/cri/connect-cri.ts';
import { sleep } from '../../base/async/clock.ts';
import { hasCode } from '../../base/errors.ts';
import type { CgroupDriver } from '../../core/model/node-profile.ts';
import { durationMs } from '../config/parse-duration.ts';
import { SlowCallWatch } from '../process/slow-call-watch.ts';
import type { Foundation } from './foundation.ts';

const CGROUP_DRIVER_TRIES = 3;
const CGROUP_DRIVER_RETRY_MS = 2_000;

export interface RuntimeWiring {
  readonly cri: CriConnection;
  readonly slowCalls: SlowCallWatch;
}

/** Resolves when the runtime answers; closed with the scope. */
export async function connectRuntime(foundation: Foundation): Promise<RuntimeWiring> {
  const { loaded, clock, logger, scope, metrics, podOwner, tracer } = foundation;
  const { config, features } = loaded;
  const slowCalls = new SlowCallWatch(clock, logger);
  const settings: CriSettings = {
    endpoint: config.containerRuntimeEndpoint,
    imageEndpoint: config.imageServiceEndpoint,
    requestTimeoutMs: durationMs(config.runtimeRequestTimeout),
    clock,
    logger,
    listStreaming: features.enabled('CRIListStreaming'),
    observer: {
      started: (call) => slowCalls.started(call),
      ended: (call, elapsedMs, error) => {
        slowCalls.ended(call, elapsedMs, error);
        metrics.ended(call, elapsedMs, error);
      },
    },
  };
  const cri = connectCri(settings, podOwner, tracer);
  scope.defer(() => cri.close());
  await cri.connect({ signal: scope.signal, label: 'start' });
  return { cri, slowCalls };
}

/** The runtime's, else the one that is configured. Rejects with AgentError when the runtime does not answer. */
export async function readCgroupDriver(
  { loaded, clock, scope, metrics }: Foundation,
  { reader }: CriConnection,
): Promise<CgroupDriver> {
  const { signal } = scope;
  for (let attempt = 1; ; attempt++) {
    try {
      const ofRuntime = await reader.cgroupDriver({ signal, label: 'start' });
      if (ofRuntime === undefined) metrics.noteOldRuntime();
      return ofRuntime ?? (loaded.config.cgroupDriver as CgroupDriver);
    } catch (error) {
      // A runtime that has just started may answer anything; an unknown driver name stays unknown.
      if (attempt === CGROUP_DRIVER_TRIES || hasCode(error, 'failed-precondition')) throw error;
      await sleep(clock, CGROUP_DRIVER_RETRY_MS, signal);
    }
  }
}

/** Standalone it is the configuration that says which addresses pods get; a runtime may refuse, and pods run on. */
export async function applyPodCidr(
  { loaded, logger, scope }: Foundation,
  { runtime }: CriConnection,
): Promise<void> {
  const { podCIDR } = loaded.config;
  if (podCIDR === '') return;
  try {
    await runtime.updatePodCidr(podCIDR, { signal: scope.signal, label: 'start' });
  } catch (error) {
    logger.error('cannot send the pod CIDRs to the runtime', error, { podCidrs: podCIDR });
  }
}
