/**
 * Wires the agent from its ports: the same function serves the real node and
 * the simulation. It only connects; nothing happens before `run`.
 */
import { availableParallelism } from 'node:os';
import { Gate } from '../base/gate.ts';
import { onAbort } from '../base/on-abort.ts';
import { isMirror } from '../core/api/pod-identity.ts';
import type { PodUid } from '../core/model/ids.ts';
import type { NodeProfile } from '../core/model/node-profile.ts';
import type { ObservedPod } from '../core/model/observed-pod.ts';
import { DEADLINE_VERDICT } from '../core/pod/active-deadline.ts';
import { KEEP_ONE } from '../core/pod/dead-containers.ts';
import { noMeter } from '../ports/agent-meter.ts';
import { noClaims } from '../ports/claim-reader.ts';
import type { Agent, AgentPorts, AgentSettings, ClusterHooks } from './agent-ports.ts';
import { assemblePerformers } from './assemble-performers.ts';
import { DesiredPods } from './desired/desired-pods.ts';
import { assembleImages } from './image/assemble-images.ts';
import { checkResolver } from './node/resolver-check.ts';
import { CrashLoopMemory } from './pod/crash-loop-memory.ts';
import { DeadContainers } from './pod/dead-containers.ts';
import { removeDeadLogLinks } from './pod/dead-log-links.ts';
import { LeftOvers } from './pod/left-overs.ts';
import { LifecycleHooks } from './pod/lifecycle-hooks.ts';
import { watchOverdueKills } from './pod/overdue-kills.ts';
import { PodExplainer } from './pod/pod-explainer.ts';
import { PodPublisher } from './pod/pod-publisher.ts';
import { PodSupervisor } from './pod/pod-supervisor.ts';
import { PodWorker } from './pod/pod-worker.ts';
import { StatusBoard } from './pod/status-board.ts';
import { TerminationMessages } from './pod/termination-messages.ts';
import { truncateOversizedFiles } from './pod/truncate-oversized-files.ts';
import { ProbeMemory } from './probe/probe-memory.ts';
import { Prober } from './probe/prober.ts';
import { CgroupRefusals } from './resources/cgroup-refusals.ts';
import { isCgroupMissing } from './resources/missing-cgroups.ts';
import { PodAllocations, type PodAllocationsParts } from './resources/pod-allocations.ts';
import { PodResizer } from './resources/pod-resizer.ts';
import { QosCgroups } from './resources/qos-cgroups.ts';
import { enforceReservedCgroups } from './resources/reserved-cgroups.ts';
import { UserNamespaces } from './resources/user-namespaces.ts';
import { RuntimeMonitor } from './runtime/runtime-monitor.ts';
import { RuntimeObserver } from './runtime/runtime-observer.ts';
import { VolumeMeasurer } from './volume/volume-measurer.ts';
import { VolumeReconciler } from './volume/volume-reconciler.ts';

/** A start that takes longer than this hangs, or is as slow as the machine: others may begin meanwhile. */
const START_GATE_HOLD_MS = 5_000;

export function assembleAgent(
  ports: AgentPorts,
  settings: AgentSettings,
  readCluster: () => ClusterHooks | undefined = () => undefined,
): Agent {
  const { reader, clock, logger, events, sources, files, random, meter = noMeter } = ports;
  const startedAtMs = clock.now();
  const board = new StatusBoard();
  const allocations = new PodAllocations({ ...ports, ...toAllocationSettings(settings.node) });
  const hasEnded = (uid: PodUid): boolean => board.published.get(uid)?.mayRun === false;
  const desired = new DesiredPods({
    clock,
    events,
    allocations,
    sources: sources.map(({ name }) => name),
    hasEnded,
    ...(settings.admit === undefined ? {} : { admit: settings.admit }),
    ...(settings.refreshNode === undefined ? {} : { refreshNode: settings.refreshNode }),
  });
  const resizer = new PodResizer({
    ...ports,
    desired,
    allocations,
    admit: settings.admitResize ?? (() => ({ ok: true, victims: [] })),
    onChange: (uid) => supervisor.wake(uid, 'resize'),
  });
  const messages = new TerminationMessages(files);
  const crashLoops = new CrashLoopMemory(ports.checkpoints, logger);
  const { puller, load: loadPulls } = assembleImages(ports, settings.images, settings.node.rootDir);
  const hooks = new LifecycleHooks({ ...ports, transport: ports.probes });
  const volumes = new VolumeReconciler({
    ...ports,
    claims: ports.claims ?? noClaims,
    ...(settings.readNodeLabels === undefined ? {} : { readNodeLabels: settings.readNodeLabels }),
    drivers: ports.volumeDrivers,
    node: settings.node,
    onChange: (uid) => supervisor.wake(uid, 'volume'),
    onMounted: (uid) => measurer.follow(uid),
  });
  const measurer = new VolumeMeasurer({
    ...ports,
    readGauges: (uid) => volumes.gauges(uid),
    periodMs: settings.volumeStatsPeriodMs ?? 0,
    onRead: (source, durationMs) => meter.volumeMeasured(source, durationMs),
  });
  const users = new UserNamespaces({ ...ports, node: settings.node, range: settings.userIds });
  const width = settings.startGateWidth ?? availableParallelism() + 1;
  const gate = new Gate(width, { clock, maxHoldMs: START_GATE_HOLD_MS });
  const refusals = new CgroupRefusals(logger);
  const perform = assemblePerformers(ports, settings.node, {
    messages,
    crashLoops,
    puller,
    hooks,
    volumes,
    users,
    gate,
    refusals,
    allocations,
    resizer,
    reinspect: (uid) => observer.reinspect(uid),
    onStopped: (uid, id) => prober.leave(uid, id),
    reject: (uid, why) => desired.reject(uid, why),
  });
  const { allPods = {}, reserved = [], ...kept } = settings.nodeCgroups ?? {};
  const qosCgroups = new QosCgroups({ ...ports, desired, node: settings.node, allPods, ...kept, refusals });
  let runtimeName = '';

  const publisher = new PodPublisher({
    board,
    messages,
    events,
    logger,
    runtimeName: () => runtimeName,
    hostIps: settings.node.nodeIps,
    node: settings.node,
    agentStartedAtMs: startedAtMs,
    resizer,
  });
  const probeMemory = new ProbeMemory(ports.checkpoints, clock, logger);
  const prober = new Prober({
    ...ports,
    meter,
    transport: ports.probes,
    memory: probeMemory,
    nodeIps: settings.node.nodeIps,
    agentStartedAtMs: startedAtMs,
    readStatus: (uid) => board.published.get(uid)?.status,
    onChange: (uid) => supervisor.probed(uid),
  });
  const observer: RuntimeObserver = new RuntimeObserver({
    reader,
    clock,
    logger,
    meter,
    onPodChanged: (uid) => supervisor.wake(uid, 'runtime'),
    knows: (uid) => desired.records.has(uid),
    onRelist: () => {
      for (const uid of deadContainers.review(observer.listed)) supervisor.wake(uid, 'dead containers');
      supervisor.review();
    },
  });
  const deadContainers = new DeadContainers(clock, settings.deadContainers ?? KEEP_ONE);
  const leftOvers = new LeftOvers({ ...ports, node: settings.node });
  const monitor = new RuntimeMonitor({ reader, clock, logger });
  const supervisor = new PodSupervisor({
    desired,
    logger,
    createWorker: (uid) =>
      new PodWorker(uid, {
        clock,
        logger,
        meter,
        random,
        readDesired: (podUid) => desired.records.get(podUid),
        readPod: (podUid, signal, label) => observer.readPod(podUid, signal, label),
        readShared: () => ({
          networkProblem: monitor.networkProblem,
          probes: prober,
          crashLoops,
          crashLoopPolicy: settings.crashLoopPolicy,
          agentStartedAtMs: startedAtMs,
          deadContainers: deadContainers.facts,
        }),
        readResize: (podUid) => ({ actuated: allocations.actuated(podUid), gates: allocations.gates }),
        resizer,
        isCgroupMissing: (pod) => isCgroupMissing({ ...ports, ...settings }, pod),
        prober,
        volumes,
        publisher,
        perform,
        onPastDeadline: (record) => {
          desired.requestTermination(record.uid, { cause: 'deadline', verdict: DEADLINE_VERDICT });
          events.record({ about: { pod: record.pod }, type: 'Normal', ...DEADLINE_VERDICT });
        },
        onCompleted: (podUid) => desired.requestTermination(podUid, { cause: 'completed' }),
      }),
    readListed: () => (observer.lastRelistMs === undefined ? undefined : observer.listed),
    readLeftOvers: async (isKnown) => {
      await removeDeadLogLinks(files, settings.node.podLogsDir, (id) => isListed(observer.listed, id));
      return leftOvers.read(isKnown);
    },
    onGone: (uid) => {
      const record = desired.records.get(uid);
      if (record !== undefined) readCluster()?.onGone(record, board.published.get(uid));
      observer.forget(uid);
      prober.forget(uid);
      hooks.forgetPod(uid);
      puller.forget(uid);
      volumes.forget(uid);
      users.release(uid);
      allocations.forget(uid);
      resizer.forget(uid);
      board.forget(uid);
      crashLoops.sweep(clock.now(), settings.crashLoopPolicy.forgetAfterMs);
    },
  });

  return {
    desired,
    board,
    observer,
    monitor,
    supervisor,
    volumes,
    volumeStats: measurer,
    explainer: new PodExplainer({ desired, board, supervisor, gate, puller, clock }),
    run: async (stop) => {
      using _subscription = monitor.subscribe(() => supervisor.wakeAll('runtime state'));
      const endProbes = (): void => {
        prober.close();
        hooks.close();
        volumes.close();
        measurer.close();
        gate.close();
      };
      onAbort(stop, endProbes);
      await allocations.load();
      desired.onAllSourcesSeen(() => allocations.retain((uid) => desired.records.has(uid)));
      using _ended = board.published.subscribe(() => resizer.retry('pod_terminated'));
      await probeMemory.load();
      await loadPulls(stop);
      await crashLoops.load(clock.now(), settings.crashLoopPolicy.forgetAfterMs);
      ({ runtimeName } = await reader.version({ signal: stop, label: 'start' }));
      await enforceReservedCgroups({ ...ports, refusals }, reserved);
      await Promise.all([
        qosCgroups.run(stop),
        truncateOversizedFiles(
          { ...ports, node: settings.node, readPodUids: () => desired.records.keys() },
          stop,
        ),
        checkResolver({ ...ports, node: settings.node }, stop),
        resizer.run(stop),
        watchOverdueKills({ clock, events, desired, hasEnded }, stop),
        supervisor.run(stop),
        observer.run(stop),
        monitor.run(stop),
        ...sources.map((source) =>
          source.run(stop, (pods, complete) => {
            // A mirror is the API server's image of a static pod: never run, only kept true.
            const mirrors = source.name === 'api' ? pods.filter(isMirror) : [];
            const wanted = mirrors.length === 0 ? pods : pods.filter((pod) => !isMirror(pod));
            desired.deliver(source.name, wanted, complete);
            // What is not the API server's own word says nothing about mirrors.
            if (source.name === 'api' && complete !== false) readCluster()?.onApiPods(mirrors);
          }),
        ),
      ]);
      await probeMemory.flush();
      await allocations.flush();
    },
  };
}

function isListed(listed: ReadonlyMap<PodUid, ObservedPod>, containerId: string): boolean {
  return [...listed.values()].some(({ containers }) =>
    // The name of a link may be too long for the whole id.
    containers.some(({ id }) => id.startsWith(containerId)),
  );
}

/** Both files stand where the upstream kubelet has them. */
function toAllocationSettings({
  rootDir,
  features,
}: NodeProfile): Pick<PodAllocationsParts, 'rootDir' | 'gates'> {
  const gates = {
    podLevel: features('InPlacePodLevelResourcesVerticalScaling'),
    initContainers: features('InPlacePodVerticalScalingInitContainers'),
  };
  return { rootDir, gates };
}
