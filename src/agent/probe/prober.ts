/**
 * The probes of all pods, and the single writer of their results. Each pass
 * of a pod's worker shows it what runs; it measures in between and wakes the
 * worker when a result changed. Costs nothing for a pod without probes and
 * one timer for each probe that waits.
 *
 * Invariant: a result is known only for an instance that is measured, and
 * only under its own id.
 */
import type { Container, Probe } from '../../core/api/pod.ts';
import { podRef } from '../../core/api/pod-identity.ts';
import type { ContainerStatus, PodStatus } from '../../core/api/pod-status.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { ContainerId, PodUid } from '../../core/model/ids.ts';
import { newestInstance, type ObservedContainer, type ObservedPod } from '../../core/model/observed-pod.ts';
import { podMembers } from '../../core/model/pod-containers.ts';
import type { ProbeKind, ProbeOutcome, ProbeResults } from '../../core/model/probe-results.ts';
import { type ProbeReport, probesOf } from '../../core/pod/probe-request.ts';
import { computeFirstTick, toProbeTiming } from '../../core/pod/probe-schedule.ts';
import { computeAddresses } from '../../core/status/pod-addresses.ts';
import type { AgentMeter } from '../../ports/agent-meter.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { Kit } from '../../ports/kit.ts';
import type { ContainerRuntime } from '../../ports/runtime/container-runtime.ts';
import type { ProbeTransport } from '../../ports/runtime/probe-transport.ts';
import { type KnownInstance, ProbeLoop } from './probe-loop.ts';
import type { ProbeMemory } from './probe-memory.ts';
import { type ProbeTarget, runProbe } from './run-probe.ts';

export interface ProberParts {
  readonly kit: Pick<Kit, 'clock' | 'random'> & {
    readonly events: Pick<EventRecorder, 'record'>;
    readonly meter: Pick<AgentMeter, 'probed'>;
  };
  readonly runtime: ContainerRuntime;
  readonly transport: ProbeTransport;
  /** What survives the agent. */
  readonly memory: ProbeMemory;
  readonly nodeIps: () => readonly string[];
  readonly agentStartedAtMs: number;
  /** What was last published about a pod. */
  readonly readStatus: (uid: PodUid) => PodStatus | undefined;
  /** A result changed that the pod's worker should look at. */
  readonly onChange: (uid: PodUid) => void;
}

/** As metrics have it. */
const RESULTS = {
  success: 'successful',
  warning: 'successful',
  failure: 'failed',
  error: 'unknown',
} as const;

export class Prober implements ProbeResults {
  readonly name = 'prober';
  readonly #parts: ProberParts;
  readonly #pods = new Map<PodUid, Map<string, ProbeLoop>>();
  readonly #results = new Map<string, ProbeOutcome>();
  readonly #lastLooks = new Map<PodUid, Look>();
  #closed = false;

  constructor(parts: ProberParts) {
    this.#parts = parts;
  }

  get(kind: ProbeKind, id: ContainerId): ProbeOutcome | undefined {
    return this.#results.get(`${kind}/${id}`);
  }

  /** The results that count, once the probes have seen what runs. */
  facts(record: DesiredPod, observed: ObservedPod): ProbeResults {
    this.sync(record, observed);
    return this;
  }

  /**
   * Measures what runs of the pod and nothing else. While the pod ends, only
   * readiness and the probes of sidecars go on.
   */
  sync(record: DesiredPod, observed: ObservedPod): void {
    if (this.#closed) return;
    for (const { container, role } of podMembers(record.pod)) {
      if (role !== 'regular' && role !== 'sidecar') continue;
      const probes = probesOf(container);
      if (probes.length === 0) continue;
      const instance = this.#describe(record, observed, container);
      for (const [kind, probe] of probes) {
        const loop = this.#loopOf(record.uid, container, kind, probe);
        if (instance === undefined) loop.rest();
        else if (record.termination !== undefined && role === 'regular' && kind !== 'readiness') loop.pause();
        else loop.follow(instance.target, this.#isStarted(instance), instance.known);
      }
    }
    if (!this.#pods.has(record.uid)) return;
    const ids = new Set(observed.containers.map(({ id }) => id));
    this.#lastLooks.set(record.uid, { ids, atMs: this.#parts.kit.clock.now() });
  }

  /**
   * An instance was stopped: it is asked no more, although its worker has yet
   * to look again. Its successor may have its address already.
   */
  leave(uid: PodUid, id: ContainerId): void {
    for (const loop of this.#pods.get(uid)?.values() ?? []) loop.leave(id);
  }

  /** Drops everything about a pod that is gone. */
  podGone({ uid }: Pick<DesiredPod, 'uid'>): void {
    for (const loop of this.#pods.get(uid)?.values() ?? []) loop.rest();
    this.#pods.delete(uid);
    this.#lastLooks.delete(uid);
  }

  /** Stops measuring for good; the agent ends. */
  close(): void {
    this.#closed = true;
    for (const loops of this.#pods.values()) for (const loop of loops.values()) loop.pause();
  }

  #loopOf(uid: PodUid, container: Container, kind: ProbeKind, probe: Probe): ProbeLoop {
    const loops = this.#pods.get(uid) ?? new Map<string, ProbeLoop>();
    this.#pods.set(uid, loops);
    const key = `${kind}/${container.name}`;
    const loop = loops.get(key) ?? this.#createLoop(uid, kind, probe);
    loops.set(key, loop);
    return loop;
  }

  #createLoop(uid: PodUid, kind: ProbeKind, probe: Probe): ProbeLoop {
    const { kit, memory, agentStartedAtMs, onChange } = this.#parts;
    const { clock, random, events } = kit;
    const nowMs = clock.steady();
    const { periodMs } = toProbeTiming(probe);
    return new ProbeLoop({
      kind,
      probe,
      clock,
      agentStartedAtMs,
      firstTickMs: computeFirstTick(nowMs, periodMs, random()),
      run: (asked, target, signal) => this.#run(kind, asked, target, signal),
      publish: ({ id }, result, isNews) => {
        if (result === undefined) this.#results.delete(`${kind}/${id}`);
        else this.#results.set(`${kind}/${id}`, result);
        if (kind === 'startup') memory.note(id, { started: result === 'success' });
        if (kind === 'readiness') memory.note(id, { ready: result === 'success' });
        if (isNews) onChange(uid);
      },
      recordEvent: ({ pod, container }, reason, message) => {
        events.record({ about: { pod, container: container.name }, type: 'Warning', reason, message });
      },
    });
  }

  async #run(kind: ProbeKind, probe: Probe, target: ProbeTarget, signal: AbortSignal): Promise<ProbeReport> {
    const { clock, meter } = this.#parts.kit;
    const startedAtMs = clock.steady();
    const report = await runProbe(this.#parts, probe, target, signal);
    const { pod, container } = target;
    if (!signal.aborted)
      meter.probed(
        { kind, pod, container: container.name },
        RESULTS[report.outcome],
        clock.steady() - startedAtMs,
      );
    return report;
  }

  /** The instance to measure; undefined when the container does not run. */
  #describe(record: DesiredPod, observed: ObservedPod, container: Container): Instance | undefined {
    const { pod, uid } = record;
    const instance = newestInstance(observed, container.name);
    if (instance?.state !== 'running') return undefined;
    const status = this.#parts.readStatus(uid) ?? pod.status;
    const { podIP } = computeAddresses(pod, observed, status, this.#parts.nodeIps());
    const target: ProbeTarget = {
      pod,
      container,
      id: instance.id,
      startedAtMs: this.#computeStartMs(uid, instance),
      podIp: podIP,
      label: podRef(pod),
    };
    const { started, ready } = this.#parts.memory.recall(instance.id);
    return {
      target,
      known: { knownStarted: started || wasStarted(status, instance.id), knownReady: ready },
    };
  }

  /**
   * What was not there at the last look has started since, also where the clock of the machine was set back and the
   * runtime's times lie long before ours.
   */
  #computeStartMs(uid: PodUid, { id, details, createdAtMs }: ObservedContainer): number {
    const startedAtMs = details?.startedAtMs ?? createdAtMs;
    const look = this.#lastLooks.get(uid);
    return look === undefined || look.ids.has(id) ? startedAtMs : Math.max(startedAtMs, look.atMs);
  }

  #isStarted({ target, known }: Instance): boolean {
    const result = this.get('startup', target.id);
    if (result !== undefined) return result === 'success';
    return known.knownStarted || target.container.startupProbe === undefined;
  }
}

/** What there was of a pod, in any state. */
interface Look {
  readonly ids: ReadonlySet<ContainerId>;
  readonly atMs: number;
}

interface Instance {
  readonly target: ProbeTarget;
  readonly known: KnownInstance;
}

/** True when this very instance was published as started. */
function wasStarted(status: PodStatus | undefined, id: ContainerId): boolean {
  const all: readonly ContainerStatus[] = [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
  ];
  return all.some(({ containerID, started }) => started === true && containerID?.endsWith(`://${id}`));
}
