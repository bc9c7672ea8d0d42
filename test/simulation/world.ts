/**
 * One simulated node: virtual time, the fake machine and disk, two scripted
 * pod sources and the whole agent, which can be killed and started again.
 * Everything follows from the seed. Time passes timer by timer, and after
 * each one the invariants are looked at.
 */

import type { Agent, AgentPorts, AgentSettings } from '../../src/agent/agent-ports.ts';
import { assembleAgent } from '../../src/agent/assemble-agent.ts';
import type { ReservedCgroup } from '../../src/agent/resources/reserved-cgroups.ts';
import { Emitter } from '../../src/base/async/emitter.ts';
import { AgentError } from '../../src/base/errors.ts';
import type { Logger } from '../../src/base/log.ts';
import type { Pod } from '../../src/core/api/pod.ts';
import { toPodUid } from '../../src/core/model/ids.ts';
import { containersOf } from '../../src/core/model/pod-containers.ts';
import type { PodSourceName } from '../../src/core/model/pod-source-name.ts';
import { KEEP_ONE } from '../../src/core/pod/dead-containers.ts';
import { type AgentMeter, noMeter } from '../../src/ports/agent-meter.ts';
import { noRuntimeClasses } from '../../src/ports/cluster/runtime-classes.ts';
import { noTokens } from '../../src/ports/cluster/token-source.ts';
import { noImageMeter } from '../../src/ports/image-meter.ts';
import type { KillMode } from '../fakes/agent-life.ts';
import { type ExecBehaviour, toBehaviour, toExecBehaviour } from '../fakes/container-behaviour.ts';
import { FakeCgroups } from '../fakes/fake-cgroups.ts';
import { FakeCheckpoints } from '../fakes/fake-checkpoints.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { FakeFiles } from '../fakes/fake-files.ts';
import { FakeLogFiles } from '../fakes/fake-log-files.ts';
import { FakeMounter } from '../fakes/fake-mounter.ts';
import { FakeRuntime } from '../fakes/fake-runtime.ts';
import { noSubPaths } from '../fakes/fake-volume-driver.ts';
import { noClaims, noObjects } from '../fakes/no-objects.ts';
import { RecordingEvents } from '../fakes/recording-events.ts';
import { SeededRandom } from '../fakes/seeded-random.ts';
import { NO_NUMA, NO_TOPOLOGY_POLICY } from '../samples/no-topology.ts';
import { samplePolicy } from '../samples/sample-machines.ts';
import { AgentProcess } from './agent-process.ts';
import { HandlerTruth } from './handler-truth.ts';
import { Invariants } from './invariants.ts';
import { CALM_MS, CRASH_LOOP, GATE_WIDTH, simulatedNode } from './node.ts';
import { NodePressure } from './node-pressure.ts';
import { PodModel } from './pod-model.ts';
import { ScriptBook } from './script-book.ts';
import { connectTransport } from './scripted-transport.ts';
import { newestOf } from './settled.ts';
import { silentLogger, TraceLogger } from './trace-logger.ts';
import { Troubles } from './troubles.ts';

/** What `slow/…` images take to come. */
const SLOW_PULL_MS = 20_000;
/** What the agent's own patience with calls allows. */
const STOP_LIMIT_MS = 5_000;

export class World {
  readonly random: SeededRandom;
  readonly clock: FakeClock;
  readonly runtime: FakeRuntime;
  readonly files = new FakeFiles();
  readonly mounter = new FakeMounter(this.files.disk);
  readonly checkpoints = new FakeCheckpoints();
  readonly cgroups = new FakeCgroups();
  /** One file for all containers. */
  readonly logFiles = new FakeLogFiles();
  /** Undefined: no log is rotated. */
  logRotation: AgentSettings['logRotation'];
  readonly scripts: ScriptBook;
  readonly truth: HandlerTruth;
  readonly troubles: Troubles;
  readonly pressure: NodePressure;
  readonly invariants: Invariants;
  /** Every pod there ever was, by UID. */
  readonly pods = new Map<string, PodModel>();
  readonly trace: string[] = [];
  process: AgentProcess | undefined;
  /** Whether the node takes a new pod; all by default. */
  admit: AgentSettings['admission']['admit'] = () => ({ ok: true, victims: [] });
  /** For a test that has the agent beside other ports than the fakes of this node. */
  replacePorts: (ports: AgentPorts) => AgentPorts = (ports) => ports;
  /** What the agents of all lives reported to their metrics. */
  meter: AgentMeter = noMeter;
  /** The events that the agents of all lives recorded. */
  readonly events = new RecordingEvents();
  /** What is kept for others than pods. */
  reserved: readonly ReservedCgroup[] = [];
  /** Lives of the agent so far. */
  lives = 0;
  /** Of the last life. */
  agentStartedAtMs = 0;
  /** When the one before it ended. */
  agentEndedAtMs = 0;
  readonly #logger: Logger;
  readonly #startMs: number;
  #restart: Disposable | undefined;

  constructor(seed: number, log: boolean) {
    this.random = new SeededRandom(seed);
    this.clock = new FakeClock({ seed, pure: true });
    this.#startMs = this.clock.now();
    this.scripts = new ScriptBook(this.random.fork('scripts'));
    this.truth = new HandlerTruth(this);
    this.#logger = log ? new TraceLogger(this) : silentLogger;
    this.runtime = new FakeRuntime(this.clock, {
      seed,
      jitter: 0.5,
      events: !this.random.chance(0.15),
      nameReservedCode: this.random.chance(0.5) ? 'failed-precondition' : 'unknown',
      createsInStoppedSandbox: this.random.chance(0.5),
      behaviour: (config, sandbox) => {
        // A runtime makes the cgroup that it puts a container into.
        this.cgroups.paths.add(sandbox.cgroupParent);
        return toBehaviour(config);
      },
      onStart: (config, sandbox) => this.#writeLog(`${sandbox.logDirectory}/${config.logPath}`),
      exec: (command) => this.#answerExec(command),
    });
    this.files.disk.makeDirectory('/var/log/containers', 0o755);
    this.runtime.faults.add({
      op: 'pullImage',
      when: ({ id = '' }) => id.includes('/slow/'),
      latencyMs: SLOW_PULL_MS,
    });
    this.troubles = new Troubles(this);
    this.pressure = new NodePressure(this, seed);
    this.invariants = new Invariants(this);
  }

  get nowMs(): number {
    return this.clock.now();
  }

  /** Time since the beginning, for people. */
  get elapsed(): string {
    return `${((this.nowMs - this.#startMs) / 1000).toFixed(3)}s`;
  }

  /** The agent, when one is alive. */
  get agent(): Agent | undefined {
    return this.process?.agent;
  }

  say(text: string): void {
    this.trace.push(`[${this.elapsed}] ${text}`);
  }

  wanted(source?: PodSourceName): PodModel[] {
    return [...this.pods.values()].filter(
      (model) => model.wanted && (source === undefined || model.source === source),
    );
  }

  /** A source gets a pod; the UID may be one that was there before. */
  add(pod: Pod, source: PodSourceName): void {
    const { uid } = pod.metadata;
    const model = this.pods.get(uid) ?? new PodModel(pod, source, this.nowMs);
    this.pods.set(uid, model);
    model.wanted = true;
    model.evicted = false;
    // For an agent that never heard that it was away it is the same pod; for any other one it is new.
    if (this.process === undefined || model.heard !== true) {
      model.finished = false;
      this.invariants.startOver(uid);
    }
    const { status: _, ...asNew } = model.pod;
    model.pod = asNew;
    model.disturb(this.nowMs, CALM_MS + countSlow(pod) * SLOW_PULL_MS);
  }

  remove(model: PodModel): void {
    model.wanted = false;
    model.disturb(this.nowMs, CALM_MS);
  }

  /**
   * A source is about to deliver what it has. Only now is the agent asked for anything: what came and went while
   * the API server was away never happened for it, and what went before that is still to end.
   */
  onDelivery(source: PodSourceName): void {
    for (const model of this.pods.values()) {
      if (model.source !== source) continue;
      if (!model.wanted) model.ending = true;
      else if (model.heard !== true) this.#onComing(model);
      model.heard = model.wanted;
    }
  }

  #onComing(model: PodModel): void {
    const { uid, heard, ending, evicted, endIsExpected } = model;
    // One that left in this life of the agent may still be ending; a new agent takes what it finds as it is.
    const isLeaving = heard === false && this.agent?.desired.records.has(toPodUid(uid)) === true;
    model.ending = evicted || endIsExpected || isLeaving;
    if (!model.ending && (heard === false || ending)) this.invariants.startOver(uid);
  }

  /** Delivers to the agent what the sources have now. */
  deliver(): void {
    this.process?.deliver();
  }

  startAgent(): void {
    if (this.process !== undefined) return;
    this.#restart?.[Symbol.dispose]();
    this.lives++;
    this.agentStartedAtMs = this.nowMs;
    for (const model of this.pods.values()) {
      if (model.ending && model.wanted) this.invariants.startOver(model.uid);
      this.invariants.onNextLife(model);
      // What was not written to the API server dies with the agent that decided it.
      model.evicted = model.pod.status?.reason === 'Evicted';
      model.finished = model.pod.status !== undefined;
      model.ending = !model.wanted || model.evicted;
      model.heard = undefined;
      // A manifest does not say that its pod has ended: without its containers it runs again.
      if (this.pressure.isWatched && this.runtime.containersOf(model.uid).length === 0)
        this.invariants.startOver(model.uid);
      model.disturb(this.nowMs, CALM_MS);
    }
    const process = new AgentProcess(this);
    const ports = this.replacePorts(this.#toPorts(process.connections));
    const agent = assembleAgent(ports, this.#toSettings());
    this.process = process;
    process.run(agent, (error) => this.#onExit(process, error));
  }

  #toPorts({ clock, host, runtime, images, drivers, sources }: AgentProcess['connections']): AgentPorts {
    const random = (): number => this.random.next();
    return {
      kit: { clock, logger: this.#logger, random, events: this.events, meter: this.meter },
      runtime: {
        ...runtime,
        losses: new Emitter(),
        probes: connectTransport(this, clock),
        runtimeClasses: noRuntimeClasses,
      },
      host,
      storage: {
        drivers,
        flexDrivers: undefined,
        subPaths: noSubPaths,
        claims: noClaims,
        credentials: undefined,
        attachments: undefined,
      },
      objects: { objects: noObjects, tokens: noTokens, services: () => [] },
      images: { images, credentialPlugins: undefined, imageMeter: noImageMeter },
      statistics: this.pressure.ports(),
      sources,
      cluster: undefined,
      shutdown: undefined,
    };
  }

  #toSettings(): AgentSettings {
    return {
      node: simulatedNode,
      pods: { startGateWidth: GATE_WIDTH, crashLoopPolicy: CRASH_LOOP, deadContainers: KEEP_ONE },
      admission: {
        admit: (pod, others) => this.admit(pod, others),
        admitResize: () => ({ ok: true, victims: [] }),
        refreshNode: undefined,
        readNodeLabels: () => ({}),
      },
      resources: {
        assignment: {
          topology: NO_TOPOLOGY_POLICY,
          numa: NO_NUMA,
          cpuPolicy: samplePolicy('laptop'),
          memory: undefined,
          retryMs: 10_000,
          layout: { cpus: [], nodes: [] },
        },
        userIds: undefined,
        allPods: {},
        reserved: this.reserved,
        reservedMemoryPercent: undefined,
      },
      images: {
        maxParallelPulls: Number.POSITIVE_INFINITY,
        pullsPerSecond: 0,
        burst: 0,
        verification: { policy: 'NeverVerifyPreloadedImages', allowlist: [] },
      },
      volumeStatsPeriodMs: 0,
      ...this.pressure.settings,
      logRotation: this.logRotation,
      shutdown: undefined,
    };
  }

  killAgent(mode: KillMode): void {
    this.agentEndedAtMs = this.nowMs;
    this.process?.life.kill(mode);
    this.process = undefined;
  }

  /** Asks the agent to stop and gives it a moment; false when it does not come to rest. */
  async stopAgent(): Promise<boolean> {
    const { process } = this;
    if (process === undefined) return true;
    process.stop.abort(new Error('the simulation stops the agent'));
    const rests = (): boolean => process.ended && process.timers === 0 && process.calls === 0;
    await this.clock.settle();
    // Calls of the runtime that are under way may come to their end.
    const lastMs = this.nowMs + STOP_LIMIT_MS;
    while (!rests() && this.nowMs < lastMs) await this.clock.advance(Math.min(50, lastMs - this.nowMs));
    this.agentEndedAtMs = this.nowMs;
    this.process = undefined;
    if (rests()) return true;
    this.invariants.fail(
      'a stopped agent comes to rest',
      `ended: ${process.ended}, timers: ${process.timers}, calls under way: ${process.calls}`,
    );
    process.life.kill();
    return false;
  }

  /** Passes time; stops early when an invariant is violated. */
  async passTime(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    await this.clock.settle();
    this.invariants.look();
    while ((this.clock.nextTimerAtMs ?? Number.POSITIVE_INFINITY) <= endMs) {
      if (this.invariants.violation !== undefined) return;
      await this.clock.fireNextTimer();
      this.invariants.look();
    }
    await this.clock.advance(endMs - this.nowMs);
  }

  /** Fires the next `count` timers: a way to be in the middle of things. */
  async passTimers(count: number): Promise<void> {
    await this.clock.settle();
    for (let i = 0; i < count && this.invariants.violation === undefined; i++) {
      if ((this.clock.nextTimerAtMs ?? Number.POSITIVE_INFINITY) > this.nowMs + 5_000) return;
      await this.clock.fireNextTimer();
      this.invariants.look();
    }
  }

  /** The agent ended by itself: the node's service manager starts it again. */
  #onExit(process: AgentProcess, error: unknown): void {
    if (this.process !== process) return;
    if (error !== undefined && !(error instanceof AgentError))
      this.invariants.fail('the agent has no bugs', String(error instanceof Error ? error.stack : error));
    if (process.stop.signal.aborted) return;
    this.say(`the agent ended: ${error}`);
    this.killAgent('complete');
    this.#restart = this.clock.startTimer(1_000, () => this.startAgent());
  }

  #answerExec(command: readonly string[]): ExecBehaviour {
    const handler = this.scripts.readCommand(command);
    if (handler === undefined) return toExecBehaviour(command);
    const instance = newestOf(this, handler.uid, handler.container);
    const { isGood, afterMs } = this.scripts.reply(handler, instance, this.nowMs);
    return { afterMs, exitCode: isGood ? 0 : 1, stdout: '', stderr: '' };
  }

  #writeLog(path: string): void {
    const directory = path.slice(0, path.lastIndexOf('/'));
    this.files.disk.makeDirectory(directory, 0o755);
    this.files.disk.put(path, { kind: 'file', mode: 0o640, content: '' });
  }
}

function countSlow({ spec }: Pod): number {
  return containersOf({ spec }).filter(({ image = '' }) => image.includes('/slow/')).length;
}
