/**
 * What containers were bound to: CPUs and NUMA nodes they start with, and
 * the CPUs that running ones were last given. The latter is not saved: after a
 * start of the agent the runtime is believed, or each running container is
 * given its CPUs once more.
 */
import type { Container, Pod } from '../../core/api/pod.ts';
import { renderCpuSet } from '../../core/cpus/cpu-set.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import { type ContainerId, type PodUid, toPodUid } from '../../core/model/ids.ts';
import type { ObservedPod } from '../../core/model/observed-pod.ts';
import type { PinFacts } from '../../core/pod/decide-pins.ts';
import type { PinnedResources } from '../../core/resources/container-resources.ts';
import type { CpuAssigner } from './cpu-assigner.ts';
import type { HardwareSource } from './hardware-source.ts';
import type { MemoryAssigner } from './memory-assigner.ts';

export interface ContainerPinsParts {
  readonly cpus: CpuAssigner;
  readonly memory: MemoryAssigner;
  /** How long a container that could not be moved waits for the next try. */
  readonly retryMs: number;
}

interface AppliedPins {
  readonly cpus: Map<ContainerId, string>;
  retryAtMs: number | undefined;
}

export class ContainerPins implements HardwareSource {
  readonly name = 'container pins';
  readonly #parts: ContainerPinsParts;
  readonly #applied = new Map<PodUid, AppliedPins>();

  constructor(parts: ContainerPinsParts) {
    this.#parts = parts;
  }

  /** What a container of the pod starts with. */
  of(uid: PodUid, container: string): PinnedResources {
    const { cpus, memory } = this.#parts;
    const set = cpus.cpusOf(uid, container);
    const nodes = memory.nodesOf(uid, container);
    return {
      exclusiveCpus: cpus.isExclusive(uid, container),
      // With nothing left to share, the kernel decides.
      ...(set !== undefined && set.size > 0 && { cpusetCpus: renderCpuSet(set) }),
      ...(nodes !== undefined && { cpusetMems: nodes.join(',') }),
    };
  }

  /** The same, once it is safe that it cannot be given away again. Rejects with AgentError when it cannot be written. */
  async readHardware(pod: Pod, container: Pick<Container, 'name'>): Promise<PinnedResources> {
    await Promise.all([this.#parts.cpus.stored(), this.#parts.memory.stored()]);
    return this.of(toPodUid(pod.metadata.uid), container.name);
  }

  /** Then the pod as a whole is not slowed down either. */
  hasExclusiveCpus(uid: PodUid): boolean {
    return this.#parts.cpus.has(uid);
  }

  /** The container was made with these. */
  created(pod: Pod, container: string, id: ContainerId, { cpusetCpus }: PinnedResources): void {
    this.#parts.memory.started(pod, container);
    if (cpusetCpus !== undefined) this.applied(toPodUid(pod.metadata.uid), id, cpusetCpus);
  }

  applied(uid: PodUid, id: ContainerId, cpus: string): void {
    const ofPod = this.#ofPod(uid);
    ofPod.cpus.set(id, cpus);
    ofPod.retryAtMs = undefined;
  }

  failed(uid: PodUid, nowMs: number): void {
    this.#ofPod(uid).retryAtMs = nowMs + this.#parts.retryMs;
  }

  facts({ uid }: Pick<DesiredPod, 'uid'>, observed: ObservedPod): PinFacts | undefined {
    if (this.#parts.cpus.policy === undefined) return undefined;
    const ofPod = this.#applied.get(uid);
    const ids = new Set(observed.containers.map(({ id }) => id));
    for (const id of ofPod?.cpus.keys() ?? []) if (!ids.has(id)) ofPod?.cpus.delete(id);
    return {
      wanted: (container) => this.of(uid, container).cpusetCpus,
      applied: (id) => ofPod?.cpus.get(id),
      retryAtMs: ofPod?.retryAtMs,
    };
  }

  podGone({ uid }: Pick<DesiredPod, 'uid'>): void {
    this.#applied.delete(uid);
  }

  #ofPod(uid: PodUid): AppliedPins {
    const ofPod = this.#applied.get(uid) ?? { cpus: new Map(), retryAtMs: undefined };
    this.#applied.set(uid, ofPod);
    return ofPod;
  }
}
