/**
 * Brings the node agent to life in named phases, each waiting for those whose
 * result it takes. What a phase builds stands in wire/. Stopping is the
 * reverse and is done by closing the scope.
 *
 *   places ─► runtime ─► node ─► cluster ─► storage ─► agent ─► node reports ─► plugins
 *         ─► certificates ─► run ─► servers ─► service manager
 */
import { hostname } from 'node:os';
import { SystemClock } from '../adapters/linux/machine/system-clock.ts';
import { recordSetupFailure, recordStart } from '../agent/node/start-events.ts';
import type { Scope } from '../base/scope.ts';
import type { EventRecorder } from '../ports/event-recorder.ts';
import type { LoadedConfiguration } from './config/load/load-configuration.ts';
import { createMeters } from './metrics/meters.ts';
import { NodeMetrics } from './metrics/node-metrics.ts';
import { logSettings } from './process/log-settings.ts';
import type { ProcessLogger } from './process/process-logger.ts';
import { readSystemd } from './process/systemd.ts';
import { LiveConfiguration } from './reload/live-configuration.ts';
import { keepClientCertificate, keepServingCertificate } from './wire/certificates.ts';
import { connectCluster } from './wire/cluster.ts';
import { wireCsi } from './wire/csi.ts';
import { type Foundation, phase } from './wire/foundation.ts';
import { loadCredentialPlugins } from './wire/images.ts';
import { readNode } from './wire/node.ts';
import { startNodeReports } from './wire/node-reports.ts';
import { startPlugins } from './wire/plugins.ts';
import { type AgentWiring, wireAgent } from './wire/pods.ts';
import {
  claimPlaces,
  startHeapCare,
  startIptablesChains,
  startProcessCgroups,
  startServiceManager,
} from './wire/process.ts';
import { startReloads } from './wire/reload.ts';
import { connectRuntime } from './wire/runtime.ts';
import { startServers } from './wire/servers/http.ts';
import { startPodResources } from './wire/servers/pod-resources.ts';
import { startPodsApi } from './wire/servers/pods-api.ts';
import { startTracing } from './wire/tracing.ts';

export interface RunningKubelet {
  /** Resolves to an exit code when the agent can no longer go on, or must make way for another. */
  readonly failed: Promise<number>;
  /** Ends all pods, in their own grace or the shorter one. */
  readonly endPods: (graceSeconds?: number) => void;
}

/** Of a kubelet that another program has in it. */
export interface GuestSettings {
  /** The only pods it sees, and what it makes, are of this owner. */
  readonly podOwner: string;
  /** Its command line, which is not that of the process. */
  readonly argv: readonly string[];
}

/** Rejects with AgentError when a phase fails; what was started is closed with the scope. */
export async function startKubelet(
  loaded: LoadedConfiguration,
  logger: ProcessLogger,
  scope: Scope,
  guest?: GuestSettings,
): Promise<RunningKubelet> {
  const clock = new SystemClock();
  const live = new LiveConfiguration(loaded);
  const metrics = new NodeMetrics();
  const tracer = await startTracing({ loaded, clock, logger, scope, metrics });
  const { podOwner } = guest ?? {};
  const base: Foundation = { loaded, live, clock, logger, scope, metrics, podOwner, tracer };
  const configuration = startReloads(base, guest?.argv);
  const failed = Promise.withResolvers<number>();
  const fail = (): void => failed.resolve(1);
  let recorder: EventRecorder | undefined;
  const next = <T>(name: string, run: () => T | Promise<T>): Promise<T> =>
    reportFailure(phase(base, name, run), () => recorder);
  logStarting(base);

  const systemd = readSystemd(process.env, process.pid);
  await next('places', () => claimPlaces(base, () => failed.resolve(0)));
  const credentialPlugins = await next('credential plugins', () => loadCredentialPlugins(base));
  const runtime = await next('runtime', () => connectRuntime(base));
  const node = await next('node', () => readNode(base, runtime));
  const { profile, machine } = node;
  const connection = await next('cluster', () => connectCluster(base, profile));
  const meters = createMeters(base.metrics, clock);
  const csi = await next('storage', () => wireCsi(base, node, connection, meters));
  const parts = { runtime, node, connection, csi, credentialPlugins, meters };
  const { agent, events, rejected } = await next('agent', () => wireAgent(base, parts));
  recorder = events;
  if (connection === undefined) recordStart(events);
  const reported = { ...parts, events, monitor: agent.monitor, startup: meters.startup };
  const clusterChecks = await next('node reports', () => startNodeReports(base, reported));
  await next('plugins', () => startPlugins(base, profile, csi, agent));
  await next('pod resources', () => startPodResources(base, profile, agent));
  await next('pods API', () => startPodsApi(base, profile, agent));
  const issued = await next('certificates', () => {
    if (connection === undefined) return undefined;
    keepClientCertificate(base, connection, fail);
    return keepServingCertificate(base, connection, profile.nodeName);
  });
  await next('process cgroups', () => startProcessCgroups(base, machine));
  await next('iptables chains', () => startIptablesChains(base));
  await next('run', () => runAgent(base, agent, fail));
  const served = {
    runtime,
    node,
    agent,
    events,
    rejected,
    clusterChecks,
    configuration,
    api: connection?.client.api,
    issued,
  };
  const checks = await next('servers', () => startServers(base, served));
  await next('service manager', () => startServiceManager(base, systemd, checks));
  logStarted(base, profile);
  startHeapCare(base, agent.board.published);
  return {
    failed: failed.promise,
    endPods: (graceSeconds) => {
      const request = { cause: 'removed', ...(graceSeconds === undefined ? {} : { graceSeconds }) } as const;
      for (const uid of [...agent.desired.records.keys()]) agent.desired.requestTermination(uid, request);
    },
  };
}

/** Once there is a place for events, the failure of a phase is one. */
async function reportFailure<T>(work: Promise<T>, find: () => EventRecorder | undefined): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const recorder = find();
    if (recorder !== undefined) recordSetupFailure(recorder, error);
    throw error;
  }
}

function runAgent({ logger, scope }: Foundation, agent: AgentWiring['agent'], onFailure: () => void): void {
  scope.run(agent.run, (error) => {
    // What a start that failed takes down with it is no failure of its own.
    if (scope.signal.aborted) return;
    logger.error('agent failed', error);
    onFailure();
  });
}

function logStarting({ loaded, logger }: Foundation): void {
  const { flags, version } = loaded;
  logSettings(loaded, logger);
  const mode = flags.kubeconfig === '' ? 'standalone' : 'cluster';
  logger.info('kubelet starting', { version, host: hostname(), mode, pid: process.pid });
  const uid = process.getuid?.() ?? 0;
  if (uid !== 0) logger.warn('kubelet needs to run as uid `0`', { uid });
}

function logStarted(
  { loaded, logger }: Foundation,
  { nodeName, rootDir }: { readonly nodeName: string; readonly rootDir: string },
): void {
  const { staticPodPath, containerRuntimeEndpoint: runtime } = loaded.config;
  const manifests = staticPodPath === '' ? undefined : staticPodPath;
  logger.info('kubelet started', { node: nodeName, rootDir, manifests, runtime });
}
