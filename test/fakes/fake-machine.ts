/**
 * What runs on the fake node: sandboxes, containers and their processes. It
 * behaves as containerd does and lives on when the agent is killed. All
 * changes are synchronous and emitted as events; calls, latency and faults are
 * the business of runtime-call.ts.
 *
 * Invariants: names stay reserved until removal; time stamps strictly
 * increase; a container runs only in a ready sandbox.
 */
import type { Clock } from '../../src/base/async/clock.ts';
import { AgentError, type AgentErrorCode } from '../../src/base/errors.ts';
import type { ContainerConfig } from '../../src/core/model/container-config.ts';
import {
  type ContainerId,
  type PodUid,
  type SandboxId,
  toContainerId,
  toPodUid,
  toSandboxId,
} from '../../src/core/model/ids.ts';
import type { LinuxResources, ObservedContainerState } from '../../src/core/model/observed-pod.ts';
import type { SandboxConfig } from '../../src/core/model/sandbox-config.ts';
import type { RuntimeEvent } from '../../src/ports/runtime/container-runtime.ts';
import type { ContainerBehaviour } from './container-behaviour.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface FakeSandbox {
  readonly id: SandboxId;
  readonly podUid: PodUid;
  readonly config: SandboxConfig;
  readonly runtimeHandler: string;
  readonly createdAtMs: number;
  ready: boolean;
  ips: readonly string[];
  /** What the runtime was sent about the pod's cgroup. */
  resources?: LinuxResources;
}

export interface FakeContainer {
  readonly id: ContainerId;
  readonly podUid: PodUid;
  readonly sandbox: FakeSandbox;
  readonly config: ContainerConfig;
  readonly imageId: string;
  readonly createdAtMs: number;
  readonly behaviour: ContainerBehaviour;
  readonly exited: PromiseWithResolvers<void>;
  /** Exits that are planned; dropped with the process. */
  readonly timers: Disposable[];
  state: ObservedContainerState;
  /** A start is under way: the runtime does not let it be removed meanwhile. */
  starting: boolean;
  termSent: boolean;
  resources: LinuxResources;
  reason: string;
  message: string;
  startedAtMs?: number;
  finishedAtMs?: number;
  exitCode?: number;
}

export interface FakeMachineOptions {
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly behaviour: (config: ContainerConfig, sandbox: SandboxConfig) => ContainerBehaviour;
  /** What a start leaves on the machine, such as a log. */
  readonly onStart: (config: ContainerConfig, sandbox: SandboxConfig) => void;
  readonly emit: (event: RuntimeEvent) => void;
  /** Real runtimes disagree on the code of a name conflict; the agent must not lean on it. */
  readonly nameReservedCode: AgentErrorCode;
  /** So do some versions of containerd; starting fails in all. */
  readonly createsInStoppedSandbox: boolean;
}

export class FakeMachine {
  readonly sandboxes = new Map<SandboxId, FakeSandbox>();
  readonly containers = new Map<ContainerId, FakeContainer>();
  readonly #options: FakeMachineOptions;
  readonly #names = new Set<string>();
  #lastStampMs = 0;
  #addresses = 1;

  constructor(options: FakeMachineOptions) {
    this.#options = options;
  }

  /** Takes a sandbox or container name; fails when it is taken. */
  reserveName(name: string): void {
    if (this.#names.has(name))
      throw new AgentError(
        this.#options.nameReservedCode,
        `failed to reserve name "${name}": name is reserved`,
      );
    this.#names.add(name);
  }

  releaseName(name: string): void {
    this.#names.delete(name);
  }

  /** The name must be reserved. */
  addSandbox(config: SandboxConfig, runtimeHandler: string): FakeSandbox {
    const n = this.#addresses++;
    const sandbox: FakeSandbox = {
      id: toSandboxId(this.#options.random.hex(64)),
      podUid: toPodUid(config.uid),
      config,
      runtimeHandler,
      createdAtMs: this.#stamp(),
      ready: true,
      ips: config.security.namespaces.network === 'node' ? [] : [`10.88.${n >> 8}.${n & 255}`],
    };
    this.sandboxes.set(sandbox.id, sandbox);
    this.#emit('created', sandbox.id, sandbox.podUid);
    this.#emit('started', sandbox.id, sandbox.podUid);
    return sandbox;
  }

  /** Kills what runs in it; its network is gone afterwards. */
  stopSandbox(sandbox: FakeSandbox): void {
    if (!sandbox.ready) return;
    for (const container of this.containersOf(sandbox)) this.kill(container);
    sandbox.ready = false;
    sandbox.ips = [];
    this.#emit('stopped', sandbox.id, sandbox.podUid);
  }

  removeSandbox(sandbox: FakeSandbox): void {
    this.stopSandbox(sandbox);
    for (const container of this.containersOf(sandbox)) this.removeContainer(container);
    if (!this.sandboxes.delete(sandbox.id)) return;
    this.releaseName(sandboxName(sandbox.config));
    this.#emit('deleted', sandbox.id, sandbox.podUid);
  }

  containersOf(sandbox: FakeSandbox): FakeContainer[] {
    return [...this.containers.values()].filter((container) => container.sandbox === sandbox);
  }

  /** The name must be reserved. */
  addContainer(sandboxId: SandboxId, config: ContainerConfig, imageId: string): FakeContainer {
    const sandbox = this.sandboxes.get(sandboxId);
    if (sandbox === undefined) throw new AgentError('not-found', `failed to find sandbox "${sandboxId}"`);
    if (!this.#options.createsInStoppedSandbox) requireReady(sandbox);
    const container: FakeContainer = {
      id: toContainerId(this.#options.random.hex(64)),
      podUid: sandbox.podUid,
      sandbox,
      config,
      imageId,
      createdAtMs: this.#stamp(),
      behaviour: this.#options.behaviour(config, sandbox.config),
      exited: Promise.withResolvers(),
      timers: [],
      state: 'created',
      starting: false,
      termSent: false,
      resources: config.resources,
      reason: '',
      message: '',
    };
    this.containers.set(container.id, container);
    this.#emit('created', container.id, container.podUid);
    return container;
  }

  start(container: FakeContainer): void {
    if (container.state !== 'created')
      throw new AgentError('unknown', `cannot start container "${container.id}": it is ${container.state}`);
    requireReady(container.sandbox);
    const { behaviour } = container;
    this.#options.onStart(container.config, container.sandbox.config);
    if (behaviour.kind === 'start-error') {
      this.#end(container, 128, 'StartError', behaviour.message);
      throw new AgentError('unknown', `failed to start container "${container.id}": ${behaviour.message}`);
    }
    container.state = 'running';
    container.startedAtMs = this.#stamp();
    this.#emit('started', container.id, container.podUid);
    if (behaviour.kind === 'exit') this.#planExit(container, behaviour.afterMs, behaviour.exitCode);
  }

  /** Sends SIGTERM, once in a container's life. */
  terminate(container: FakeContainer): void {
    if (container.state !== 'running' || container.termSent || container.behaviour.kind === 'start-error')
      return;
    container.termSent = true;
    const { onTerm } = container.behaviour;
    if (onTerm.kind === 'exit') this.#planExit(container, onTerm.afterMs, onTerm.exitCode);
  }

  /** Sends SIGKILL. */
  kill(container: FakeContainer): void {
    this.exit(container, 137);
  }

  /** The process ends, for whatever reason. */
  exit(container: FakeContainer, exitCode: number, reason?: string): void {
    if (container.state === 'running')
      this.#end(container, exitCode, reason ?? (exitCode === 0 ? 'Completed' : 'Error'), '');
  }

  /** Removes it, running or not. */
  removeContainer(container: FakeContainer): void {
    this.kill(container);
    if (!this.containers.delete(container.id)) return;
    this.releaseName(containerName(container.config, container.sandbox.config));
    this.#emit('deleted', container.id, container.podUid);
  }

  #planExit(container: FakeContainer, afterMs: number, exitCode: number): void {
    container.timers.push(this.#options.clock.startTimer(afterMs, () => this.exit(container, exitCode)));
  }

  #end(container: FakeContainer, exitCode: number, reason: string, message: string): void {
    for (const timer of container.timers.splice(0)) timer[Symbol.dispose]();
    Object.assign(container, { state: 'exited', exitCode, reason, message, finishedAtMs: this.#stamp() });
    container.exited.resolve();
    this.#emit('stopped', container.id, container.podUid);
  }

  #emit(kind: RuntimeEvent['kind'], id: string, podUid: PodUid): void {
    this.#options.emit({ kind, id, podUid });
  }

  /** Now, but later than the stamps before: two things never have the same time. A clock that was set back is followed. */
  #stamp(): number {
    const nowMs = this.#options.clock.now();
    // A microsecond; a finer step is lost in a double of this size.
    const nextMs = this.#lastStampMs + 0.001;
    this.#lastStampMs = nextMs - nowMs > 1_000 ? nowMs : Math.max(nowMs, nextMs);
    return this.#lastStampMs;
  }
}

export function sandboxName(config: SandboxConfig): string {
  return `${config.name}_${config.namespace}_${config.uid}_${config.attempt}`;
}

export function containerName(config: ContainerConfig, sandbox: SandboxConfig): string {
  return `${config.name}_${sandboxName(sandbox)}_${config.attempt}`;
}

function requireReady(sandbox: FakeSandbox): void {
  if (!sandbox.ready) throw new AgentError('unknown', `sandbox container "${sandbox.id}" is not running`);
}
