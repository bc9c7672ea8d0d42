/**
 * The laws about containers of one pod, judged from the machine's history and
 * the manifest: one instance at a time, numbers used once, the order of init
 * containers, sidecars and main containers, hooks before stops, graces.
 */
import type { Container } from '../../src/core/api/pod.ts';
import { type ContainerId, type SandboxId, toPodUid } from '../../src/core/model/ids.ts';
import { podMembers } from '../../src/core/model/pod-containers.ts';
import type { FakeContainer } from '../fakes/fake-machine.ts';
import type { AgentProcess } from './agent-process.ts';
import type { World } from './world.ts';

/** The runtime gets at least this long between asking and killing. */
const MIN_STOP_SECONDS = 2;
/** What a call of a dead agent started just now may not have been seen. */
const SURELY_SEEN_MS = 15_000;

export class LifecycleLaws {
  readonly #world: World;
  /** The highest number started, by pod and container. */
  readonly #numbers = new Map<string, number>();

  /** Every instance that was started, by sandbox and container. */
  readonly #begun = new Map<string, ContainerId[]>();

  constructor(world: World) {
    this.#world = world;
  }

  /** The next pod of this UID may count from zero. */
  startOver(uid: string): void {
    for (const key of this.#numbers.keys()) if (key.startsWith(`${uid}/`)) this.#numbers.delete(key);
  }

  onStarted(container: FakeContainer): void {
    const { podUid, config } = container;
    const who = `${config.name} of pod ${podUid}`;
    const twin = this.#world.runtime
      .containersOf(podUid, config.name)
      .find((other) => other !== container && other.state === 'running');
    if (twin !== undefined)
      this.#fail('one instance of a container runs at a time', `${who}: ${twin.config.attempt} still runs`);
    const key = `${podUid}/${config.name}`;
    // An orphan that was brought back from an old checkpoint has lost its logs and with them its numbers.
    const isRevived = this.#world.pods.get(podUid)?.wanted === false;
    const highest = isRevived ? -1 : (this.#numbers.get(key) ?? -1);
    if (config.attempt <= highest)
      this.#fail('numbers of instances are used once', `${who}: ${config.attempt} after ${highest}`);
    const role = this.#roleOf(podUid, config.name);
    if (role === 'ephemeral' && highest >= 0) this.#fail('ephemeral containers start once', who);
    this.#numbers.set(key, config.attempt);
    this.#checkStartOrder(container);
    const place = `${container.sandbox.id}/${config.name}`;
    this.#begun.set(place, [...(this.#begun.get(place) ?? []), container.id]);
  }

  /** A living agent is about to stop or remove something that runs. */
  onStop(process: AgentProcess, op: string, uid: string, args: readonly unknown[]): void {
    const { runtime, nowMs } = this.#world;
    const id = args[0] as ContainerId;
    const container = runtime.machine.containers.get(id);
    if (op === 'stopContainer' && container?.state === 'running')
      this.#checkStop(process, container, Number(args[1]));
    const inside =
      container !== undefined
        ? [container]
        : runtime.containersOf(uid).filter(({ sandbox }) => sandbox.id === (args[0] as SandboxId));
    const alive = inside.find(
      ({ state, startedAtMs = nowMs }) => state === 'running' && startedAtMs < nowMs - SURELY_SEEN_MS,
    );
    if (op !== 'stopContainer' && alive !== undefined)
      this.#fail('what runs is asked to end first', `${op} while ${alive.config.name} of pod ${uid} runs`);
  }

  #checkStop(process: AgentProcess, container: FakeContainer, graceSeconds: number): void {
    const { pods, runtime, truth, scripts, nowMs } = this.#world;
    const { podUid, config, id } = container;
    const model = pods.get(podUid);
    const record = process.agent?.desired.records.get(toPodUid(podUid));
    if (model === undefined || record === undefined || record.source === 'runtime') return;
    const members = podMembers(model.pod);
    const index = members.findIndex((member) => member.container.name === config.name);
    const member = members[index];
    if (member === undefined) return;
    const who = `${config.name} of pod ${podUid}`;
    const longest = Math.max(MIN_STOP_SECONDS, ...gracesOf(model.pod.spec, member.container));
    if (graceSeconds > longest)
      this.#fail('graces are respected', `${who} gets ${graceSeconds} s of ${longest}`);
    const hook = member.container.lifecycle?.preStop?.exec?.command;
    if (hook !== undefined && scripts.readCommand(hook) !== undefined && !truth.wasAsked('preStop', id))
      this.#fail('preStop hooks come before the stop', who);
    const { termination } = record;
    if (member.role !== 'sidecar' || termination === undefined) return;
    const grace = (termination.graceSeconds ?? model.pod.spec.terminationGracePeriodSeconds ?? 0) * 1000;
    const before = members.filter(
      ({ role }, other) => role === 'regular' || (role === 'sidecar' && other > index),
    );
    const late = before.find(({ container: { name } }) =>
      runtime
        .containersOf(podUid, name)
        .some(
          ({ state, startedAtMs = nowMs }) => state === 'running' && startedAtMs < nowMs - SURELY_SEEN_MS,
        ),
    );
    if (late !== undefined && nowMs < termination.requestedAtMs + grace)
      this.#fail('sidecars end after what they serve', `${who} is stopped while ${late.container.name} runs`);
  }

  /** The first start of a container in a sandbox comes after everything before it in the manifest. */
  #checkStartOrder(container: FakeContainer): void {
    const { pods, runtime } = this.#world;
    const { podUid, sandbox, config } = container;
    const model = pods.get(podUid);
    if (model === undefined) return;
    const members = podMembers(model.pod);
    const index = members.findIndex((member) => member.container.name === config.name);
    const member = members[index];
    if (member === undefined || member.role === 'ephemeral') return;
    const here = runtime
      .containersOf(podUid)
      .filter((other) => other.sandbox === sandbox && other !== container && other.startedAtMs !== undefined);
    const isFirst = !here.some(({ config: { name } }) =>
      member.role === 'regular'
        ? this.#roleOf(podUid, name) === 'regular'
        : name === config.name || this.#roleOf(podUid, name) === 'regular',
    );
    if (!isFirst) return;
    const initCount = model.pod.spec.initContainers?.length ?? 0;
    for (const { container: before, role } of members.slice(0, Math.min(index, initCount))) {
      const instances = here.filter(({ config: { name } }) => name === before.name);
      const isDone =
        role === 'init'
          ? instances.some(({ state, exitCode }) => state === 'exited' && exitCode === 0)
          : (this.#begun.get(`${sandbox.id}/${before.name}`) ?? []).some(
              (id) => before.startupProbe === undefined || this.#world.truth.hasStarted(id),
            );
      if (!isDone)
        this.#fail(
          'containers start in order',
          `${config.name} of pod ${podUid} starts before ${before.name} is done`,
        );
    }
  }

  #roleOf(uid: string, name: string): string | undefined {
    const pod = this.#world.pods.get(uid)?.pod;
    return pod && podMembers(pod).find(({ container }) => container.name === name)?.role;
  }

  #fail(invariant: string, detail: string): void {
    this.#world.invariants.fail(invariant, detail);
  }
}

function gracesOf(
  spec: { readonly terminationGracePeriodSeconds?: number },
  { livenessProbe, startupProbe }: Container,
): number[] {
  return [spec, livenessProbe ?? {}, startupProbe ?? {}].map(
    ({ terminationGracePeriodSeconds = 0 }) => terminationGracePeriodSeconds,
  );
}
