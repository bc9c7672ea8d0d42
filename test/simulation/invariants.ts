/**
 * The invariants of the design, watched over a whole simulated world: at every
 * call of the agent, at every change of the machine, at every published
 * status and after every step. The first violation is kept; the run ends there.
 */
import { fullName } from '../../src/core/api/pod-identity.ts';
import type { PodPhase, PodStatus } from '../../src/core/api/pod-status.ts';
import type { ContainerConfig } from '../../src/core/model/container-config.ts';
import { type ContainerId, type SandboxId, toPodUid } from '../../src/core/model/ids.ts';
import type { SandboxConfig } from '../../src/core/model/sandbox-config.ts';
import type { FakeContainer, FakeSandbox } from '../fakes/fake-machine.ts';
import type { AgentProcess } from './agent-process.ts';
import { LastingReadiness } from './lasting-readiness.ts';
import { LifecycleLaws } from './lifecycle-laws.ts';
import { LostEnds } from './lost-ends.ts';
import { CALM_MS, ROOT_DIR } from './node.ts';
import type { PodModel } from './pod-model.ts';
import { PressureLaws } from './pressure-laws.ts';
import { RestartDelays } from './restart-delays.ts';
import { describeRemains, isOver, mountsOf, whyUnsettled } from './settled.ts';
import type { World } from './world.ts';

export interface Violation {
  readonly invariant: string;
  readonly detail: string;
}

const STARTS: ReadonlySet<string> = new Set(['runSandbox', 'createContainer', 'startContainer']);
const STOPS: ReadonlySet<string> = new Set([
  'stopContainer',
  'removeContainer',
  'stopSandbox',
  'removeSandbox',
]);

/** A call of a dead agent may make a sandbox between a slow read and the step that follows from it. */
const SURELY_SEEN_MS = 15_000;
/** Or one container between a read and the status made of it. */
const JUST_MADE_MS = 1_000;
/** A removal is asked for more often than this before the pod's end goes on without it. */
const MIN_REFUSALS = 4;

interface Published {
  phase: PodPhase | undefined;
  /** The highest count of each container, and the life of the agent that published it. */
  readonly restarts: Map<string, { readonly count: number; readonly life: number }>;
}

export class Invariants {
  violation: Violation | undefined;
  readonly #world: World;
  readonly #delays: RestartDelays;
  readonly #laws: LifecycleLaws;
  readonly #readiness: LastingReadiness;
  readonly #lostEnds: LostEnds;
  readonly pressure: PressureLaws;
  readonly #published = new Map<string, Published>();
  /** How much of the machine's history has been looked at. */
  #seen = 0;

  constructor(world: World) {
    this.#world = world;
    this.#delays = new RestartDelays(world);
    this.#laws = new LifecycleLaws(world);
    this.#readiness = new LastingReadiness(world);
    this.#lostEnds = new LostEnds(world);
    this.pressure = new PressureLaws(world);
  }

  fail(invariant: string, detail: string): void {
    this.violation ??= { invariant, detail };
  }

  /** A living agent is about to call the runtime. */
  onCall(process: AgentProcess, op: string, args: readonly unknown[]): void {
    if (op === 'removeImage') this.pressure.onRemoveImage(String(args[0]));
    if (op === 'removeTree') this.#onRemoveTree(String(args[0]));
    if (!STARTS.has(op) && !STOPS.has(op)) return;
    const uid = this.#podOf(op, args);
    const who = `${op} of pod ${uid}`;
    if (process.stop.signal.aborted) this.fail('stopping the agent leaves containers untouched', who);
    if (uid === undefined) return;
    if (op === 'createContainer') this.#onCreate(uid, args[1] as ContainerConfig);
    if (STARTS.has(op)) {
      this.#onStart(process, op, uid);
      this.pressure.onStart(process, uid, who);
    } else {
      this.#delays.onStop(String(args[0]));
      if (op === 'removeContainer' || op === 'removeSandbox') this.#lostEnds.onRemove(String(args[0]));
      this.#onStop(op, uid, String(args[0]));
      this.#laws.onStop(process, op, uid, args);
    }
  }

  /** Takes note of what changed on the machine since the last look. */
  look(): void {
    const { runtime, troubles } = this.#world;
    troubles.look();
    for (; this.#seen < runtime.history.length; this.#seen++) {
      const event = runtime.history[this.#seen]?.event;
      if (event?.kind === 'deleted') this.#lostEnds.onDeleted(event.id, event.podUid);
      if (event?.kind !== 'started') continue;
      const container = runtime.machine.containers.get(event.id as ContainerId);
      const sandbox = runtime.machine.sandboxes.get(event.id as SandboxId);
      if (container !== undefined) this.#onStarted(container);
      if (sandbox !== undefined) this.#onSandbox(sandbox);
    }
  }

  onPublished(uid: string, status: PodStatus): void {
    const { runtime, pods, lives, nowMs } = this.#world;
    const isTerminal = status.phase === 'Succeeded' || status.phase === 'Failed';
    const running = runtime.containersOf(uid).find(({ state }) => state === 'running');
    // One that an old checkpoint brought back has ended all the same.
    const hasEnded = pods.get(uid)?.pod.status !== undefined;
    if (isTerminal && running !== undefined && !hasEnded)
      this.fail(
        'terminal phase only when nothing runs',
        `pod ${uid} is ${status.phase}, ${running.config.name} runs`,
      );
    this.pressure.onPublished(uid, status);
    const model = pods.get(uid);
    if (model === undefined || model.ending) return;
    this.#readiness.onPublished(model, status);
    const before: Published = this.#published.get(uid) ?? { phase: undefined, restarts: new Map() };
    this.#published.set(uid, before);
    if ((before.phase === 'Succeeded' || before.phase === 'Failed') && status.phase !== before.phase)
      this.fail('a terminal phase is never left', `pod ${uid} was ${before.phase}, is ${status.phase}`);
    before.phase = status.phase;
    for (const { name, restartCount } of [
      ...(status.initContainerStatuses ?? []),
      ...(status.containerStatuses ?? []),
    ]) {
      const highest = before.restarts.get(name) ?? { count: 0, life: lives };
      // A new agent without an API server knows a count only from an instance; the next start reads it off the logs.
      const isKnown =
        highest.life === lives ||
        runtime.containersOf(uid, name).some(({ createdAtMs }) => createdAtMs < nowMs - JUST_MADE_MS);
      if (restartCount < highest.count && isKnown)
        this.fail(
          'restart counts never fall',
          `${name} of pod ${uid}: ${highest.count}, then ${restartCount}`,
        );
      if (restartCount >= highest.count) before.restarts.set(name, { count: restartCount, life: lives });
    }
  }

  /** The agent says that nothing of the pod is left. */
  onForgotten(uid: string): void {
    const { pods } = this.#world;
    const model = pods.get(uid);
    this.startOver(uid);
    if (model === undefined) return;
    if (!model.ending) this.fail('only pods that end are forgotten', `pod ${uid}`);
    // What has ended stays with a pod that its source has again, as far as the agent has heard.
    const isBack = model.heard ?? model.wanted;
    this.#expectNoContainers(uid, 'forgets', isBack);
    model.ending = !isBack || model.evicted;
    if (isBack) model.disturb(this.#world.nowMs, CALM_MS);
  }

  /** The next pod of this UID owes nothing to what was published of the one before. */
  startOver(uid: string): void {
    this.#published.delete(uid);
    this.#laws.startOver(uid);
  }

  /** Another agent starts, which may not be able to know that the pod has ended. */
  onNextLife({ uid, pod }: PodModel): void {
    const published = this.#published.get(uid);
    if (this.#lostEnds.take(uid) && pod.status === undefined && published !== undefined)
      published.phase = undefined;
  }

  /** Every pod that nothing excuses has come to where it belongs. */
  afterStep(): void {
    const { pods, process, nowMs } = this.#world;
    if (process === undefined) return;
    for (const model of pods.values()) {
      const heir = [...pods.values()].find((other) => other.wanted && other.name === model.name);
      if (!model.wanted && heir !== undefined && describeRemains(this.#world, model) !== undefined)
        heir.disturb(nowMs, CALM_MS);
    }
    for (const model of pods.values()) {
      if (nowMs <= model.calmFromMs) continue;
      const why = whyUnsettled(this.#world, model);
      if (why !== undefined)
        this.fail('a pod settles in bounded time, whatever hangs elsewhere', `pod ${model.uid}: ${why}`);
    }
  }

  /** No container is made on a directory that its volume is still to be mounted on. */
  #onCreate(uid: string, { name, mounts }: ContainerConfig): void {
    const isVolume = (path: string): boolean => path.startsWith(`${ROOT_DIR}/pods/${uid}/volumes/`);
    const mounted = mountsOf(this.#world, uid);
    const bare = mounts.find(({ hostPath }) => isVolume(hostPath) && !mounted.includes(hostPath));
    if (bare !== undefined)
      this.fail('volumes are mounted before containers', `${name} of pod ${uid}: ${bare.hostPath}`);
  }

  #onStart(process: AgentProcess, op: string, uid: string): void {
    const { pods, runtime } = this.#world;
    const who = `${op} of pod ${uid}`;
    const record = process.agent?.desired.records.get(toPodUid(uid));
    if (record === undefined || record.termination !== undefined)
      this.fail(
        'no container starts once its pod is terminating',
        `${who}: ${record?.termination?.cause ?? 'unknown'}`,
      );
    const knownFromMs = this.#world.nowMs - SURELY_SEEN_MS;
    if (
      op === 'runSandbox' &&
      runtime.sandboxesOf(uid).some(({ ready, createdAtMs }) => ready && createdAtMs < knownFromMs)
    )
      this.fail('at most one ready sandbox per pod', `${who}, which still has a ready one`);
    const model = pods.get(uid);
    const rival = [...pods.values()].find(
      (other) =>
        other.name === model?.name &&
        model.source !== 'api' &&
        other.uid !== uid &&
        runtime.containersOf(other.uid).some(({ state }) => state === 'running'),
    );
    if (rival !== undefined)
      this.fail('same-named static pods never overlap', `${who} while ${rival.uid} runs`);
  }

  /** Something that runs is ended only for a reason the world knows. */
  #onStop(op: string, uid: string, id: string): void {
    const { pods, runtime } = this.#world;
    const model = pods.get(uid);
    // What the API server gave up while it was away is still wanted, as far as the agent can know.
    if (model === undefined || model.ending || isOver(this.#world, model)) return;
    if (!(model.heard ?? model.wanted)) return;
    if (model.restartsAsked.has(id)) return;
    const container = runtime.machine.containers.get(id as ContainerId);
    const sandbox = container?.sandbox ?? runtime.machine.sandboxes.get(id as SandboxId);
    if (container !== undefined && (container.state !== 'running' || mayBeEnded(this.#world, container)))
      return;
    const newest = runtime.sandboxesOf(uid).sort((a, b) => b.config.attempt - a.config.attempt)[0];
    if (sandbox === undefined || !sandbox.ready || sandbox !== newest) return;
    this.fail('what runs and is wanted is left alone', `${op} of pod ${uid} in life ${this.#world.lives}`);
  }

  #onRemoveTree(path: string): void {
    const [, uid] = /\/pods\/([^/]+)$/.exec(path) ?? [];
    if (uid !== undefined && this.#world.pods.has(uid))
      this.#expectNoContainers(uid, 'takes the directory of');
  }

  #expectNoContainers(uid: string, what: string, keepsEnded = false): void {
    const { runtime, nowMs } = this.#world;
    const seen = runtime.containersOf(uid).filter(({ createdAtMs }) => createdAtMs < nowMs - SURELY_SEEN_MS);
    const left = seen.find(({ state }) => !keepsEnded || state !== 'exited');
    if (left !== undefined && !this.#isRefused(left))
      this.fail(
        'a pod is released only when its containers are gone',
        `the agent ${what} pod ${uid}, ${left.config.name} is ${left.state}`,
      );
  }

  /** It has ended, and the runtime has refused to remove it again and again. */
  #isRefused({ id, state }: FakeContainer): boolean {
    const refusals = this.#world.runtime.log.filter(
      (call) => call.op === 'removeContainer' && call.id === id && call.error !== undefined,
    );
    return state === 'exited' && refusals.length >= MIN_REFUSALS;
  }

  #onStarted(container: FakeContainer): void {
    const { runtime } = this.#world;
    const name = fullNameOf(container.sandbox.config);
    const isStatic = this.#world.pods.get(container.podUid)?.source !== 'api';
    for (const other of runtime.machine.containers.values()) {
      if (other.podUid === container.podUid || other.state !== 'running') continue;
      if (isStatic && fullNameOf(other.sandbox.config) === name)
        this.fail(
          'same-named static pods never overlap',
          `${container.podUid} started while ${other.podUid} runs`,
        );
    }
    const why = this.#delays.onStarted(container);
    if (why !== undefined) this.fail('a crash loop waits for its back-off', why);
    this.#laws.onStarted(container);
  }

  #onSandbox(sandbox: FakeSandbox): void {
    const ready = this.#world.runtime.sandboxesOf(sandbox.podUid).filter((other) => other.ready);
    if (ready.length > 1)
      this.fail('at most one ready sandbox per pod', `pod ${sandbox.podUid} has ${ready.length}`);
  }

  #podOf(op: string, args: readonly unknown[]): string | undefined {
    if (op === 'runSandbox') return (args[0] as SandboxConfig).uid;
    if (op === 'createContainer') return (args[2] as SandboxConfig).uid;
    const { containers, sandboxes } = this.#world.runtime.machine;
    return (containers.get(args[0] as ContainerId) ?? sandboxes.get(args[0] as SandboxId))?.podUid;
  }
}

/** Its probes failed as often as they may, or its first hook did. */
function mayBeEnded({ pods, truth }: World, { podUid, config, id }: FakeContainer): boolean {
  const { initContainers = [], containers = [] } = pods.get(podUid)?.pod.spec ?? {};
  const spec = [...initContainers, ...containers].find(({ name }) => name === config.name);
  const { livenessProbe, startupProbe } = spec ?? {};
  return (
    (livenessProbe !== undefined && truth.badOnes('liveness', id) >= (livenessProbe.failureThreshold ?? 3)) ||
    (startupProbe !== undefined && truth.badOnes('startup', id) >= (startupProbe.failureThreshold ?? 3)) ||
    truth.badOnes('postStart', id) > 0
  );
}

function fullNameOf({ name, namespace, uid }: SandboxConfig): string {
  return fullName({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid },
    spec: { containers: [] },
  });
}
