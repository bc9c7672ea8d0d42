/** Wires what runs pods: probes, performers, and one worker for each pod. It only connects. */
import { availableParallelism } from 'node:os';
import { Emitter } from '../base/async/emitter.ts';
import { Gate } from '../base/async/gate.ts';
import { SustainedWidth } from '../base/async/sustained-width.ts';
import { mergeHealth } from '../core/claims/claim-health.ts';
import type { PodUid } from '../core/model/ids.ts';
import { DEADLINE_VERDICT } from '../core/pod/active-deadline.ts';
import type { Kit } from '../ports/kit.ts';
import type { AgentPart } from './agent-part.ts';
import type { AgentPorts, AgentSettings, PodSettings } from './agent-ports.ts';
import { assemblePerformers } from './assemble-performers.ts';
import type { ResourceAssembly } from './assemble-resources.ts';
import type { PodWakeUps, RuntimeAssembly } from './assemble-runtime.ts';
import type { VolumeAssembly } from './assemble-volumes.ts';
import type { ImageParts } from './image/assemble-images.ts';
import { CrashLoopMemory } from './pod/crash-loop-memory.ts';
import { isListed, removeDeadLogLinks } from './pod/dead-log-links.ts';
import { type FactProviders, FactSource } from './pod/fact-providers.ts';
import { LeftOvers } from './pod/left-overs.ts';
import { LifecycleHooks } from './pod/lifecycle-hooks.ts';
import { PodExplainer } from './pod/pod-explainer.ts';
import { PodOperator } from './pod/pod-operator.ts';
import { PodPublisher } from './pod/pod-publisher.ts';
import { PodSupervisor } from './pod/pod-supervisor.ts';
import { PodWorker, type PodWorkerParts } from './pod/pod-worker.ts';
import { RestartRequests } from './pod/restart-requests.ts';
import type { StatusBoard } from './pod/status-board.ts';
import { TerminationMessages } from './pod/termination-messages.ts';
import { traceActions } from './pod/trace-pass.ts';
import { ProbeMemory } from './probe/probe-memory.ts';
import { Prober } from './probe/prober.ts';
import { CgroupWatch } from './resources/cgroup-watch.ts';
import { PodTimelines } from './timeline/pod-timelines.ts';

/** A step that takes longer than this hangs, or is as slow as the machine: others may begin meanwhile. */
const GATE_HOLD_MS = 5_000;
/** How much wider than what the processors need a gate may become. */
const MOST_TIMES_WIDER = 4;

/** What the workers stand on. */
export interface PodFoundations {
  readonly board: StatusBoard;
  readonly wakeUps: PodWakeUps;
  readonly resources: ResourceAssembly;
  readonly runtime: RuntimeAssembly;
  readonly volumes: VolumeAssembly;
  readonly images: ImageParts;
}

export interface PodAssembly {
  readonly supervisor: PodSupervisor;
  readonly explainer: PodExplainer;
  readonly timelines: PodTimelines;
  readonly operator: PodOperator;
  readonly parts: readonly AgentPart[];
}

export function assemblePods(
  ports: AgentPorts,
  settings: AgentSettings,
  foundations: PodFoundations,
): PodAssembly {
  const { kit, host } = ports;
  const { node } = settings;
  const { board, wakeUps, resources, runtime } = foundations;
  const { desired } = resources;
  const { observer } = runtime;
  const timelines = new PodTimelines({ ...kit, desired, board });
  const steps = assembleSteps(ports, settings, foundations, timelines);
  const leftOvers = new LeftOvers({ ...kit, ...host, node });
  const supervisor = new PodSupervisor({
    desired,
    logger: kit.logger,
    createWorker: (uid) => new PodWorker(uid, steps.worker),
    readListed: () => (observer.lastRelistMs === undefined ? undefined : observer.listed),
    readLeftOvers: async (isKnown) => {
      await removeDeadLogLinks(host.files, node.podLogsDir, (id) => isListed(observer.listed, id));
      return leftOvers.read(isKnown);
    },
  });
  wakeUps.subscribe((uid, reason) => supervisor.wake(uid, reason));
  steps.probed.subscribe((uid) => supervisor.probed(uid));
  runtime.relists.subscribe(() => supervisor.review());
  runtime.monitor.subscribe(() => supervisor.wakeAll('runtime state'));
  const { puller } = foundations.images;
  const { monitor } = runtime;
  const { gate } = steps;
  const explainer = new PodExplainer({ ...kit, desired, board, supervisor, monitor, gate, puller });
  const { crashLoops, requests } = steps;
  const operator = new PodOperator({ ...kit, desired, supervisor, crashLoops, puller, requests });
  return { supervisor, explainer, timelines, operator, parts: [...steps.parts, timelines, supervisor] };
}

interface Steps {
  readonly worker: PodWorkerParts;
  readonly gate: Gate;
  readonly crashLoops: CrashLoopMemory;
  readonly requests: RestartRequests;
  /** A probe of the pod found something. */
  readonly probed: Emitter<[PodUid]>;
  readonly parts: readonly AgentPart[];
}

/** What every worker reads, decides with and acts through. */
function assembleSteps(
  ports: AgentPorts,
  settings: AgentSettings,
  foundations: PodFoundations,
  timelines: PodTimelines,
): Steps {
  const { kit, host } = ports;
  const { node, pods } = settings;
  const { board, resources, runtime, volumes, images } = foundations;
  const { desired, resizer } = resources;
  const agentStartedAtMs = kit.clock.now();
  const messages = new TerminationMessages(host.files);
  const hooks = new LifecycleHooks({ ...kit, ...ports.runtime, transport: ports.runtime.probes });
  const gates = { start: makeGate(kit, pods.startGateWidth), end: makeGate(kit, pods.startGateWidth) };
  const memories = assembleMemories(ports, settings, board, agentStartedAtMs);
  const { crashLoops, prober } = memories;
  const perform = assemblePerformers(ports, node, {
    ...images,
    puller: timelines.watchPulls(images.puller),
    resources,
    volumes: volumes.volumes,
    messages,
    crashLoops,
    hooks,
    gates,
    listeners: {
      reinspect: (uid) => runtime.observer.reinspect(uid),
      onStopped: (uid, id) => prober.leave(uid, id),
      reject: (uid, why) => desired.reject(uid, why),
    },
  });
  const publisher = new PodPublisher({
    kit,
    board,
    messages,
    runtimeName: () => runtime.name.current,
    hostIps: node.nodeIps,
    node,
    agentStartedAtMs,
    resizer,
  });
  const watch = new CgroupWatch({ ...kit, ...host, node });
  const facts = assembleFacts(pods, foundations, memories, watch, agentStartedAtMs);
  const worker: PodWorkerParts = {
    kit,
    readDesired: (uid) => desired.records.get(uid),
    readPod: (uid, signal, label) => runtime.observer.readPod(uid, signal, label),
    facts,
    publisher,
    perform: traceActions(kit.tracer, timelines.watchActions(perform)),
    onPastDeadline: (record) => {
      desired.requestTermination(record.uid, { cause: 'deadline', verdict: DEADLINE_VERDICT });
      kit.events.record({ about: { pod: record.pod }, type: 'Normal', ...DEADLINE_VERDICT });
    },
    onCompleted: (uid) => desired.requestTermination(uid, { cause: 'completed' }),
  };
  const turns: AgentPart = {
    name: 'gates',
    close: () => {
      gates.start.close();
      gates.end.close();
    },
  };
  const { probed, requests } = memories;
  const parts = [hooks, turns, watch, ...memories.parts];
  return { worker, gate: gates.start, crashLoops, requests, probed, parts };
}

/** At least what keeps all processors busy; more where the runtime mostly waits for something else. */
function makeGate({ clock }: Pick<Kit, 'clock'>, width: number | undefined): Gate {
  const least = availableParallelism() + 1;
  const learnt = new SustainedWidth({ least, most: MOST_TIMES_WIDER * least });
  return new Gate(width ?? learnt, { clock, maxHoldMs: GATE_HOLD_MS });
}

interface Memories {
  readonly crashLoops: CrashLoopMemory;
  readonly requests: RestartRequests;
  readonly prober: Prober;
  readonly probed: Emitter<[PodUid]>;
  readonly parts: readonly AgentPart[];
}

/** What outlives a pass, and partly the agent: back-off and probes. */
function assembleMemories(
  { kit, host, runtime }: AgentPorts,
  { node, pods }: AgentSettings,
  board: StatusBoard,
  agentStartedAtMs: number,
): Memories {
  const crashLoops = new CrashLoopMemory({ ...kit, checkpoints: host.checkpoints, bootId: node.bootId });
  const { forgetAfterMs } = pods.crashLoopPolicy;
  const backOff: AgentPart = {
    name: 'crash-loop memory',
    load: () => crashLoops.load(kit.clock.now(), forgetAfterMs),
    podGone: () => crashLoops.sweep(kit.clock.now(), forgetAfterMs),
    flush: () => crashLoops.flush(),
  };
  const memory = new ProbeMemory(host.checkpoints, kit.clock, kit.logger);
  const probed = new Emitter<[PodUid]>();
  const prober = new Prober({
    kit,
    runtime: runtime.runtime,
    transport: runtime.probes,
    memory,
    nodeIps: node.nodeIps,
    agentStartedAtMs,
    readStatus: (uid) => board.published.get(uid)?.status,
    onChange: (uid) => probed.emit(uid),
  });
  const requests = new RestartRequests();
  return { crashLoops, requests, prober, probed, parts: [backOff, requests, memory, prober] };
}

/** One line for each fact a feature adds; probes first, so that they see what runs before anything is decided. */
function assembleFacts(
  { crashLoopPolicy }: PodSettings,
  { resources, runtime, volumes }: PodFoundations,
  { crashLoops, requests, prober }: Memories,
  watch: CgroupWatch,
  agentStartedAtMs: number,
): FactSource {
  const { devices, claims, pins } = resources.assignment;
  const providers: FactProviders = {
    probes: (record, observed) => prober.facts(record, observed),
    networkProblem: () => runtime.monitor.networkProblem,
    runtimeProblem: () => runtime.monitor.refusal,
    volumes: ({ uid, pod }) => volumes.volumes.sync(uid, pod),
    crashLoops: () => crashLoops,
    crashLoopPolicy: () => crashLoopPolicy,
    agentStartedAtMs: () => agentStartedAtMs,
    cgroupMissing: ({ uid }) => watch.isMissing(uid),
    deadContainers: () => runtime.deadContainers.facts,
    claimsHeld: ({ uid }) => (claims?.store.ofPod(uid).length ?? 0) > 0,
    resourceHealth: ({ uid, pod }) => mergeHealth(devices?.health?.of(uid), claims?.health?.of(pod)),
    resize: (record, observed) => resources.resizer.facts(record, observed),
    restartsAsked: (record, observed) => requests.facts(record, observed),
    pins: (record, observed) => pins.facts(record, observed),
  };
  return new FactSource(providers, [(record, observed) => watch.refresh(record, observed)]);
}
