/**
 * Brings the node agent to life in named phases, each waiting for the one
 * before: runtime → node facts → cluster → agent → ports. Stopping is the reverse and
 * is done by closing the scope.
 */
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { type CriConnection, connectCri } from '../adapters/cri/connect-cri.ts';
import { LinuxHostFiles } from '../adapters/linux/files/host-files.ts';
import { holdLockFile } from '../adapters/linux/files/lock-file.ts';
import { readAppArmorEnabled } from '../adapters/linux/machine/app-armor.ts';
import { type NodeReading, readNodeProfile } from '../adapters/linux/machine/node-profile-reader.ts';
import { readUserIdRange } from '../adapters/linux/machine/sub-ids.ts';
import { SystemClock } from '../adapters/linux/machine/system-clock.ts';
import { readSystemInfo } from '../adapters/linux/machine/system-info.ts';
import { makeRootShared } from '../adapters/linux/mount/shared-root.ts';
import { PluginWatcher } from '../adapters/plugin/plugin-watcher.ts';
import type { IssuedPair } from '../adapters/tls/serving-certificate.ts';
import { NodeState } from '../agent/node/node-state.ts';
import { type Clock, sleep } from '../base/clock.ts';
import { hasCode } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { Scope } from '../base/scope.ts';
import { LEGACY_LOG_DIRECTORY } from '../core/model/log-paths.ts';
import type { CgroupDriver } from '../core/model/node-profile.ts';
import { podsCgroupName, toCgroupPath } from '../core/resources/cgroup-names.ts';
import type { PluginHandlers } from '../ports/plugin-handler.ts';
import { connectCluster, startCluster } from './cluster.ts';
import { compose } from './compose.ts';
import type { LoadedConfiguration } from './config/load/load-configuration.ts';
import { durationMs } from './config/parse-duration.ts';
import { composeCsi } from './csi.ts';
import { startPorts } from './http-servers.ts';
import { createMeters, followPods } from './metrics/meters.ts';
import { NodeMetrics } from './metrics/node-metrics.ts';
import { addPluginCounts, addVolumeCounts } from './metrics/storage-metrics.ts';
import { describeWatches } from './metrics/watch-metrics.ts';
import { keepClientCertificate, keepServingCertificate } from './node-certificates.ts';
import { claimRootDirectory, claimSharedPlaces } from './process/claim-place.ts';
import { keepProcessCgroups } from './process/keep-process-cgroups.ts';
import { prepareHost } from './process/prepare-host.ts';
import type { ProcessLogger } from './process/process-logger.ts';
import { applyProcessSettings } from './process/process-settings.ts';
import { SlowCallWatch } from './process/slow-call-watch.ts';
import { readSystemd, runSystemdNotifications } from './process/systemd.ts';
import { describePodCertificates } from './projected-credentials.ts';
import { createAdmit, createAdmitResize, toNodeLabels } from './settings/admission.ts';
import { loadCredentialProviders } from './settings/load-credential-providers.ts';
import { toNodeSettings } from './settings/node-settings.ts';
import { checkReservations, checkSwap } from './settings/reservations.ts';

const CGROUP_DRIVER_TRIES = 3;
const CGROUP_DRIVER_RETRY_MS = 2_000;

export interface RunningKubelet {
  /** Resolves to an exit code when the agent can no longer go on. */
  readonly failed: Promise<number>;
}

/** Rejects with AgentError when a phase fails; what was started is closed with the scope. */
export async function startKubelet(
  loaded: LoadedConfiguration,
  logger: ProcessLogger,
  scope: Scope,
): Promise<RunningKubelet> {
  const { config, flags, features, version } = loaded;
  const clock = new SystemClock();
  const mode = flags.kubeconfig === '' ? 'standalone' : 'cluster';
  logger.info('kubelet starting', { version, host: hostname(), mode, pid: process.pid });
  const uid = process.getuid?.() ?? 0;
  if (uid !== 0) logger.warn('kubelet needs to run as uid `0`', { uid });

  const manager = readSystemd(process.env, process.pid);
  if (flags.lockFile !== '') await takeLock(flags.lockFile, logger, scope);
  await claimRootDirectory(resolve(flags.rootDir), { clock, logger, scope });
  const credentials = await loadCredentialProviders({
    configPath: flags.imageCredentialProviderConfig,
    binDir: flags.imageCredentialProviderBinDir,
    allowTokens: features.enabled('KubeletServiceAccountTokenForCredentialProviders'),
  });
  const slowCalls = new SlowCallWatch(clock, logger);
  const metrics = new NodeMetrics();
  const cri = connectCri({
    endpoint: config.containerRuntimeEndpoint,
    imageEndpoint: config.imageServiceEndpoint,
    requestTimeoutMs: durationMs(config.runtimeRequestTimeout),
    clock,
    logger,
    listStreaming: features.enabled('CRIListStreaming'),
    observer: {
      started: (call) => slowCalls.started(call),
      ended: (call, durationMs, error) => {
        slowCalls.ended(call, durationMs, error);
        metrics.ended(call, durationMs, error);
      },
    },
  });
  scope.defer(() => cri.close());
  await cri.connect({ signal: scope.signal, label: 'start' });

  const { node, machine, warnings, supplementalGroupsPolicy } = await readNode(
    loaded,
    cri,
    clock,
    scope.signal,
    metrics,
  );
  for (const warning of warnings) logger.warn(warning);
  const podsCgroup = node.cgroupsPerQos
    ? toCgroupPath(podsCgroupName(node.cgroupRoot), node.cgroupDriver)
    : undefined;
  const { podLogsDir } = node;
  await claimSharedPlaces({ podsCgroup, podLogsDir }, node.rootDir, { clock, logger, scope });
  checkSwap(loaded, machine);
  checkReservations(loaded, machine);
  await applyProcessSettings(config, logger);
  const host = await prepareHost(config, node, machine, logger);
  await makeOwnDirectories(node.rootDir, node.podLogsDir);
  const unshared = await makeRootShared(node.rootDir);
  if (unshared !== undefined)
    logger.warn('mounts do not propagate', { rootDir: node.rootDir, why: unshared });
  await sendPodCidr(config.podCIDR, cri, logger, scope.signal);

  const { nodeName, rootDir } = node;
  const connecting = { loaded, nodeName, rootDir, clock, logger, metrics: metrics.registry };
  const connection = mode === 'standalone' ? undefined : await connectCluster(connecting);
  if (connection !== undefined) {
    scope.defer(() => connection.client.close());
    describeWatches(metrics.registry, connection.client);
    describePodCertificates(metrics.registry, connection.credentials);
  }
  const state = new NodeState();
  const system = await readSystemInfo();
  const admission = {
    loaded,
    nodeName: node.nodeName,
    machine,
    system,
    appArmorEnabled: await readAppArmorEnabled(),
    supplementalGroupsPolicy,
    state,
    readNode: () => connection?.readNode(),
  };
  const meters = createMeters(metrics, clock);
  const controllerAttaches = config.enableControllerAttachDetach;
  const csi =
    connection === undefined
      ? undefined
      : composeCsi({
          state,
          connection,
          node,
          controllerAttaches,
          clock,
          logger,
          onCall: (driver, call) => meters.calls.csi(driver, call),
        });
  if (credentials !== undefined) meters.images.describePlugins(credentials.configHash);
  const { agent, events } = compose({
    meters,
    loaded,
    credentialProviders: credentials?.providers ?? [],
    node,
    machine,
    state,
    ...host,
    cri,
    clock,
    logger,
    connection,
    ...(csi === undefined ? {} : { csiDriver: csi.driver }),
    ...(csi !== undefined && controllerAttaches ? { attachments: csi.volumes } : {}),
    userIds: await readUserIdRange(config.userNamespaces.idsPerPod, config.maxPods),
    readNodeLabels: () => toNodeLabels(loaded, node.nodeName, system, connection?.readNode()),
    admit: meters.pods.admissions(createAdmit(admission)),
    admitResize: meters.pods.admissions(createAdmitResize(admission, node)),
    nodeVolumes: csi?.volumes,
  });
  scope.use(followPods(meters, agent, events));
  addVolumeCounts(metrics.registry, agent.volumes);
  const clusterParts = { loaded, node, machine, system, state, cri, agent, events, meters, clock, logger };
  const clusterChecks =
    connection === undefined || csi === undefined
      ? []
      : startCluster({ ...clusterParts, connection, csi }, scope);
  // One line for each type of plugin that the kubelet can use.
  const handlers: PluginHandlers = csi === undefined ? {} : { CSIPlugin: csi.registration };
  const plugins = new PluginWatcher({
    directory: `${node.rootDir}/plugins_registry`,
    handlers,
    clock,
    logger,
  });
  addPluginCounts(metrics.registry, plugins);
  scope.run(
    (stop) => plugins.run(stop),
    (error) => logger.error('the plugin registry cannot be watched', error),
  );
  const failed = Promise.withResolvers<number>();
  let issued: IssuedPair | undefined;
  if (connection !== undefined) {
    keepClientCertificate(connection, connecting, scope, () => failed.resolve(1));
    if (config.serverTLSBootstrap) issued = await keepServingCertificate(connection, connecting, scope);
  }
  scope.run(
    (stop) => keepProcessCgroups({ config, machine, clock, logger }, stop),
    (error) => logger.error('process cgroup loop failed', error),
  );
  scope.run(agent.run, (error) => {
    // What a start that failed takes down with it is no failure of its own.
    if (scope.signal.aborted) return;
    logger.error('the agent failed', error);
    failed.resolve(1);
  });
  const api = connection === undefined ? {} : { api: connection.client.api };
  const server = {
    loaded,
    cri,
    node,
    cgroupVersion: machine.cgroup.version,
    metrics,
    recent: events,
    setVerbosity: (level: number) => logger.setVerbosity(level),
    ...api,
    ...(issued === undefined ? {} : { issued }),
  };
  const checks = await startPorts({
    config,
    state,
    agent,
    slowCalls,
    checks: clusterChecks,
    clock,
    logger,
    scope,
    server,
  });
  if (manager !== undefined)
    scope.run(
      (stop) => runSystemdNotifications({ systemd: manager, checks, clock, logger }, stop),
      (error) => logger.error('systemd notification loop failed', error),
    );
  const manifests = config.staticPodPath === '' ? undefined : config.staticPodPath;
  logger.info('kubelet started', {
    node: node.nodeName,
    rootDir: node.rootDir,
    manifests,
    runtime: config.containerRuntimeEndpoint,
  });
  return { failed: failed.promise };
}

/** A second kubelet with the same file waits here until the first one ends. */
async function takeLock(path: string, logger: Logger, scope: Scope): Promise<void> {
  logger.info('waiting for the lock file', { path });
  const held = await holdLockFile(path, scope.signal);
  scope.defer(() => held.close());
}

/** Standalone it is the configuration that says which addresses pods get; a runtime may refuse, and pods run on. */
async function sendPodCidr(
  cidr: string,
  { runtime }: CriConnection,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  if (cidr === '') return;
  try {
    await runtime.updatePodCidr(cidr, { signal, label: 'start' });
  } catch (error) {
    logger.error('cannot send the pod CIDRs to the runtime', error, { podCidrs: cidr });
  }
}

async function readNode(
  loaded: LoadedConfiguration,
  cri: CriConnection,
  clock: Clock,
  stop: AbortSignal,
  metrics: Pick<NodeMetrics, 'noteOldRuntime'>,
): Promise<NodeReading & { supplementalGroupsPolicy: boolean }> {
  const ofRuntime = await readCgroupDriver(cri, clock, stop);
  if (ofRuntime === undefined) metrics.noteOldRuntime();
  const driver = ofRuntime ?? (loaded.config.cgroupDriver as CgroupDriver);
  const status = await cri.reader.status({ signal: stop, label: 'start' });
  const settings = toNodeSettings(loaded, driver, 1, () => status.handlers);
  const reading = await readNodeProfile(settings);
  const { singleProcessOOMKill = reading.machine.cgroup.version === 1 } = loaded.config;
  const { supplementalGroupsPolicy } = status.features;
  return {
    ...reading,
    supplementalGroupsPolicy,
    node: { ...reading.node, singleProcessOomKill: singleProcessOOMKill },
  };
}

/** Undefined when the runtime leaves it to the configuration. */
async function readCgroupDriver(
  cri: CriConnection,
  clock: Clock,
  stop: AbortSignal,
): Promise<CgroupDriver | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await cri.reader.cgroupDriver({ signal: stop, label: 'start' });
    } catch (error) {
      // A runtime that has just started may say anything; a driver that nobody knows stays unknown.
      if (attempt === CGROUP_DRIVER_TRIES || hasCode(error, 'failed-precondition')) throw error;
      await sleep(clock, CGROUP_DRIVER_RETRY_MS, stop);
    }
  }
}

async function makeOwnDirectories(rootDir: string, podLogsDir: string): Promise<void> {
  const files = new LinuxHostFiles();
  await files.makeDirectory(rootDir, 0o750);
  await files.makeDirectory(`${rootDir}/pods`, 0o750);
  // Storage drivers and other plugins may want to find theirs before anybody used them.
  for (const name of ['plugins', 'plugins_registry']) await files.makeDirectory(`${rootDir}/${name}`, 0o750);
  await files.makeDirectory(podLogsDir, 0o750);
  await files.makeDirectory(LEGACY_LOG_DIRECTORY, 0o755);
}
