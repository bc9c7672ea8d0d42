/**
 * What all connections to one fake runtime share, and what survives the
 * agent: machine, images, event streams, faults, settings and the call log.
 */
import type { Clock } from '../../src/base/async/clock.ts';
import { Emitter } from '../../src/base/async/emitter.ts';
import type { AgentErrorCode } from '../../src/base/errors.ts';
import type { ContainerConfig } from '../../src/core/model/container-config.ts';
import type { SandboxConfig } from '../../src/core/model/sandbox-config.ts';
import {
  type ContainerBehaviour,
  type ExecBehaviour,
  toBehaviour,
  toExecBehaviour,
} from './container-behaviour.ts';
import { FakeEventStreams } from './fake-event-streams.ts';
import { FakeImages } from './fake-images.ts';
import { FakeMachine } from './fake-machine.ts';
import type { CallLogEntry, CallSurroundings } from './runtime-call.ts';
import { RuntimeFaults, type RuntimeOperation } from './runtime-faults.ts';
import { SeededRandom } from './seeded-random.ts';

export interface FakeRuntimeOptions {
  readonly seed?: number;
  /** Images on the machine at the start. */
  readonly images?: readonly string[];
  /** Instead of the table in container-behaviour.ts. */
  readonly behaviour?: (config: ContainerConfig, sandbox: SandboxConfig) => ContainerBehaviour;
  /** Called when a container is started, before it runs. */
  readonly onStart?: (config: ContainerConfig, sandbox: SandboxConfig) => void;
  readonly exec?: (command: readonly string[], config: ContainerConfig) => ExecBehaviour;
  /** False: the runtime has no event stream. */
  readonly events?: boolean;
  readonly eventLatencyMs?: number;
  readonly latencyMs?: Partial<Record<RuntimeOperation, number>>;
  /** The latency of each call is stretched by up to this share, drawn from the seed. */
  readonly jitter?: number;
  /** After this a call that hangs fails as deadline-exceeded, as the real adapter makes it. */
  readonly callDeadlineMs?: number;
  /** The answer to a name that is taken: `failed-precondition` in containerd 2.1, `unknown` in 1.6. */
  readonly nameReservedCode?: AgentErrorCode;
  /** True in containerd 2.1, false in 1.6 and after 2.1. */
  readonly createsInStoppedSandbox?: boolean;
}

/** Roughly what containerd takes on an idle machine. */
const LATENCY_MS: Partial<Record<RuntimeOperation, number>> = {
  runSandbox: 100,
  stopSandbox: 40,
  removeSandbox: 20,
  createContainer: 20,
  startContainer: 40,
  stopContainer: 20,
  removeContainer: 10,
  execSync: 20,
  pullImage: 200,
};
const QUICK_CALL_MS = 2;

export class FakeRuntimeCore implements CallSurroundings {
  /** What the agent last said. */
  podCidr = '';
  readonly clock: Clock;
  readonly faults: RuntimeFaults;
  readonly machine: FakeMachine;
  readonly images: FakeImages;
  readonly streams: FakeEventStreams;
  readonly log: CallLogEntry[] = [];
  readonly callDeadlineMs: number;
  readonly hasEvents: boolean;
  readonly exec: (command: readonly string[], config: ContainerConfig) => ExecBehaviour;
  networkReady = true;
  runtimeReady = true;
  readonly #latencyMs: Partial<Record<RuntimeOperation, number>>;
  readonly #jitter: number;
  readonly #random: SeededRandom;
  readonly #outages = new Emitter();

  constructor(clock: Clock, options: FakeRuntimeOptions) {
    const random = new SeededRandom(options.seed ?? 1);
    this.clock = clock;
    this.faults = new RuntimeFaults(random.fork('faults'));
    this.streams = new FakeEventStreams(clock, this.faults, options.eventLatencyMs ?? 2);
    this.images = new FakeImages(options.images ?? []);
    this.machine = new FakeMachine({
      clock,
      random: random.fork('ids'),
      behaviour: options.behaviour ?? toBehaviour,
      onStart: options.onStart ?? (() => {}),
      emit: (event) => this.streams.emit(event),
      nameReservedCode: options.nameReservedCode ?? 'failed-precondition',
      createsInStoppedSandbox: options.createsInStoppedSandbox ?? false,
    });
    this.callDeadlineMs = options.callDeadlineMs ?? 120_000;
    this.hasEvents = options.events ?? true;
    this.exec = options.exec ?? toExecBehaviour;
    this.#latencyMs = { ...LATENCY_MS, ...options.latencyMs };
    this.#jitter = options.jitter ?? 0;
    this.#random = random.fork('latency');
  }

  latencyOf(op: RuntimeOperation): number {
    const latencyMs = this.#latencyMs[op] ?? QUICK_CALL_MS;
    return latencyMs * (1 + (this.#jitter > 0 ? this.#jitter * this.#random.next() : 0));
  }

  readonly onOutage = (listener: () => void): Disposable => this.#outages.subscribe(listener);

  /** Ends all calls under way and all event streams. */
  breakEverything(): void {
    this.#outages.emit();
    this.streams.breakAll();
  }
}
