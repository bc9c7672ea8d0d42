/**
 * One life of the agent in the simulation: its connections to the node, bound
 * to the life, its scripted sources, and what it has open (timers, calls), so
 * that a stop can be checked for leaks.
 */
import type { Agent, AgentPorts } from '../../src/agent/agent-ports.ts';
import { ApiSourceWithFallback } from '../../src/agent/cluster/api-source-with-fallback.ts';
import { OfflineMemory } from '../../src/agent/cluster/offline-memory.ts';
import { NodeState } from '../../src/agent/node/node-state.ts';
import { onAbort } from '../../src/base/async/on-abort.ts';
import { hasCode } from '../../src/base/errors.ts';
import type { Pod } from '../../src/core/api/pod.ts';
import { type ContainerId, toPodUid } from '../../src/core/model/ids.ts';
import type { PodSourceName } from '../../src/core/model/pod-source-name.ts';
import type { DeliverPods, PodChanges, PodSource } from '../../src/ports/pod-source.ts';
import type { ExecResult } from '../../src/ports/runtime/container-runtime.ts';
import { AgentLife } from '../fakes/agent-life.ts';
import type { LifeClock } from '../fakes/fake-clock.ts';
import { FakeVolumeDriver } from '../fakes/fake-volume-driver.ts';
import { silentLogger } from './trace-logger.ts';
import type { World } from './world.ts';

export const SOURCES: readonly PodSourceName[] = ['file', 'http', 'api'];

export class AgentProcess {
  readonly life = new AgentLife();
  readonly stop = new AbortController();
  readonly connections: Pick<AgentPorts, 'host'> & {
    readonly runtime: Pick<AgentPorts['runtime'], 'runtime' | 'reader'>;
    readonly images: AgentPorts['images']['images'];
    readonly drivers: AgentPorts['storage']['drivers'];
    readonly clock: LifeClock;
    sources: readonly PodSource[];
  };
  agent: Agent | undefined;
  /** `run` has come to its end. */
  ended = false;
  calls = 0;
  readonly #world: World;
  /** Sources that are running and have been read once. */
  readonly #open = new Map<PodSourceName, DeliverPods>();
  /** What the API server has delivered last, by UID. */
  #known: ReadonlyMap<string, Pod> | undefined;

  constructor(world: World) {
    this.#world = world;
    const connection = this.#watch(world.runtime.connect(this.life));
    const files = this.#watch(world.files.connect(this.life));
    const mounter = world.mounter.connect(this.life);
    this.connections = {
      runtime: { runtime: connection, reader: connection },
      images: connection,
      host: {
        state: new NodeState(),
        files,
        mounter,
        checkpoints: world.checkpoints.connect(this.life),
        cgroups: world.cgroups.connect(this.life),
        logFiles: world.logFiles,
        devicePlugins: undefined,
        kernelMessages: undefined,
      },
      drivers: [new FakeVolumeDriver(files, mounter)],
      clock: world.clock.forLife(this.life),
      sources: [],
    };
    const sources = SOURCES.map((name) => this.#createSource(name, world.random.pick([0, 5, 50, 3_000])));
    this.connections.sources = sources.map((source) =>
      source.name === 'api' ? this.#rememberPods(source) : source,
    );
  }

  /** Those that it has open. */
  get timers(): number {
    return this.connections.clock.pendingTimers;
  }

  run(agent: Agent, onExit: (error: unknown) => void): void {
    this.agent = agent;
    const { invariants } = this.#world;
    agent.board.published.subscribe((uid, published) => {
      if (published !== undefined && this.life.alive) invariants.onPublished(uid, published.status);
    });
    agent.desired.records.subscribe((uid, record) => {
      if (!this.life.alive) return;
      if (record === undefined) invariants.onForgotten(uid);
      else invariants.pressure.onRecord(record, (other) => agent.desired.records.has(toPodUid(other)));
    });
    const end = (error?: unknown): void => {
      this.ended = true;
      onExit(error);
    };
    agent.run(this.stop.signal).then(() => end(), end);
  }

  /** Every source that has been read once delivers what it has now. */
  deliver(): void {
    for (const [name, deliver] of this.#open) this.#deliverFrom(name, deliver);
  }

  #deliverFrom(name: PodSourceName, deliver: DeliverPods): void {
    if (name === 'api' && this.#world.troubles.isApiAway) return;
    this.#world.onDelivery(name);
    const pods = this.#world.wanted(name).map(({ pod }) => pod);
    deliver(pods, true, name === 'api' ? this.#toChanges(pods) : undefined);
  }

  /** As the watch of an API server has them. */
  #toChanges(pods: readonly Pod[]): PodChanges | undefined {
    const before = this.#known;
    const now = new Map(pods.map((pod) => [pod.metadata.uid, pod]));
    this.#known = now;
    if (before === undefined) return undefined;
    const changed = pods.filter((pod) => before.get(pod.metadata.uid) !== pod);
    const gone = [...before.values()].filter((pod) => !now.has(pod.metadata.uid));
    return { changed, gone };
  }

  #createSource(name: PodSourceName, readsAfterMs: number): PodSource {
    return {
      name,
      run: (stop, deliver) => {
        const stopped = Promise.withResolvers<void>();
        const timer = this.connections.clock.startTimer(readsAfterMs, () => {
          this.#open.set(name, deliver);
          this.#deliverFrom(name, deliver);
        });
        const onStop = (): void => {
          timer[Symbol.dispose]();
          this.#open.delete(name);
          stopped.resolve();
        };
        onAbort(stop, onStop);
        return stopped.promise;
      },
    };
  }

  /** As in a cluster: while the API server is away at the start, its pods come from the checkpoint. */
  #rememberPods(source: PodSource): PodSource {
    const { clock, host } = this.connections;
    const { checkpoints } = host;
    const logger = silentLogger;
    const memory = new OfflineMemory({ checkpoints, clock, logger });
    const remembering = new ApiSourceWithFallback({ source, memory, clock, logger });
    return {
      name: 'api',
      run: async (stop, deliver) => {
        await memory.load();
        await remembering.run(stop, deliver);
      },
    };
  }

  /** Passes every call to the invariants before it is made, and counts those under way. */
  #watch<T extends object>(connection: T): T {
    const watched = new Map<string | symbol, unknown>();
    return new Proxy(connection, {
      get: (target, op) => {
        if (watched.has(op)) return watched.get(op);
        const method: unknown = Reflect.get(target, op);
        if (typeof method !== 'function') return method;
        const call = (...args: unknown[]): unknown => {
          if (this.life.alive && !isAborted(args)) this.#world.invariants.onCall(this, String(op), args);
          this.calls++;
          const settled = (): void => void this.calls--;
          const result: unknown = Reflect.apply(method, target, args);
          if (result instanceof Promise) result.then(settled, settled);
          else settled();
          if (op === 'execSync') this.#noteAnswer(args, result as Promise<ExecResult>);
          return result;
        };
        watched.set(op, call);
        return call;
      },
    });
  }

  /** What the agent receives for a scripted command; an error other than a time-out says nothing about a probe. */
  #noteAnswer([id, command]: readonly unknown[], result: Promise<ExecResult>): void {
    const { scripts, truth, runtime } = this.#world;
    const handler = scripts.readCommand(command as readonly string[]);
    const instance = runtime.machine.containers.get(id as ContainerId);
    if (handler === undefined || instance === undefined) return;
    truth.onAsked(handler, instance);
    const isHook = handler.purpose === 'postStart' || handler.purpose === 'preStop';
    result.then(
      ({ exitCode }) => truth.note(handler, instance.id, exitCode === 0),
      (error) => {
        if (isHook || hasCode(error, 'deadline-exceeded')) truth.note(handler, instance.id, false);
      },
    );
  }
}

/** A call whose signal has aborted never reaches the runtime. */
function isAborted(args: readonly unknown[]): boolean {
  const options = args.at(-1) as { readonly signal?: AbortSignal } | undefined;
  return options?.signal?.aborted === true;
}
