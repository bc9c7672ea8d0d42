/**
 * A container runtime in memory, on virtual time, that behaves as containerd
 * does. It implements the runtime ports itself for tests with one agent;
 * tests that kill the agent give each life its own `connect(life)`. Container
 * behaviour is scripted by image (container-behaviour.ts), trouble by
 * `faults` (runtime-faults.ts); the same seed repeats the same run.
 */
import type { Clock } from '../../src/base/async/clock.ts';
import type { PodUid } from '../../src/core/model/ids.ts';
import type { RuntimeEvent } from '../../src/ports/runtime/container-runtime.ts';
import { AgentLife } from './agent-life.ts';
import type { FakeImages } from './fake-images.ts';
import type { FakeContainer, FakeMachine, FakeSandbox } from './fake-machine.ts';
import { FakeRuntimeConnection } from './fake-runtime-connection.ts';
import { FakeRuntimeCore, type FakeRuntimeOptions } from './fake-runtime-core.ts';
import type { CallLogEntry } from './runtime-call.ts';
import type { RuntimeFaults } from './runtime-faults.ts';

export class FakeRuntime extends FakeRuntimeConnection {
  readonly #core: FakeRuntimeCore;

  constructor(clock: Clock, options: FakeRuntimeOptions = {}) {
    const core = new FakeRuntimeCore(clock, options);
    super(core, new AgentLife());
    this.#core = core;
  }

  /** A connection that dies with `life`. */
  connect(life: AgentLife): FakeRuntimeConnection {
    return new FakeRuntimeConnection(this.#core, life);
  }

  get faults(): RuntimeFaults {
    return this.#core.faults;
  }

  /** The images on the machine. */
  get imageStore(): FakeImages {
    return this.#core.images;
  }

  /** Every call of every agent, begin and end, in order. */
  get log(): readonly CallLogEntry[] {
    return this.#core.log;
  }

  /** Every change of sandboxes and containers in order, also those whose events were lost. */
  get history(): readonly { readonly atMs: number; readonly event: RuntimeEvent }[] {
    return this.#core.streams.history;
  }

  /** Open event streams, for leak checks. */
  get openStreams(): number {
    return this.#core.streams.open;
  }

  /** What runs, to look at; tests change it through the methods below. */
  get machine(): FakeMachine {
    return this.#core.machine;
  }

  /** What is there now, without a call. */
  sandboxesOf(podUid: PodUid | string): FakeSandbox[] {
    return [...this.#core.machine.sandboxes.values()].filter((sandbox) => sandbox.podUid === podUid);
  }

  containersOf(podUid: PodUid | string, name?: string): FakeContainer[] {
    return [...this.#core.machine.containers.values()].filter(
      (container) => container.podUid === podUid && (name === undefined || container.config.name === name),
    );
  }

  /** The process of a container ends by itself, for example crashes or is killed for its memory. */
  exitContainer(container: FakeContainer, exitCode: number, reason?: 'OOMKilled'): void {
    this.#core.machine.exit(container, exitCode, reason);
  }

  /** The sandbox dies by itself, with everything in it. */
  failSandbox(sandbox: FakeSandbox): void {
    this.#core.machine.stopSandbox(sandbox);
  }

  set networkReady(ready: boolean) {
    this.#core.networkReady = ready;
  }

  set runtimeReady(ready: boolean) {
    this.#core.runtimeReady = ready;
  }

  /** The event streams end; calls go on. */
  breakEventStreams(): void {
    this.#core.streams.breakAll();
  }

  /** The runtime's own process restarts: calls and streams break, containers run on. */
  restartRuntime(downMs = 0): void {
    this.#core.breakEverything();
    if (downMs <= 0) return;
    this.#core.faults.down = true;
    this.#core.clock.startTimer(downMs, () => {
      this.#core.faults.down = false;
    });
  }

  /** The node restarts: nothing runs any more, everything is still listed. */
  rebootNode(): void {
    for (const container of this.#core.machine.containers.values())
      this.#core.machine.exit(container, 255, 'Unknown');
    for (const sandbox of this.#core.machine.sandboxes.values()) this.#core.machine.stopSandbox(sandbox);
    this.#core.breakEverything();
  }
}
