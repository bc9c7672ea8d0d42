/**
 * Who has which CPUs. The one writer of that state and its file. Containers
 * without CPUs of their own share the rest; when that changes, `onShared`
 * says so, and running ones are moved (see container-pins.ts).
 */
import { Emitter } from '../../base/async/emitter.ts';
import type { Container, Pod } from '../../core/api/pod.ts';
import { allocateCpus } from '../../core/cpus/allocate-cpus.ts';
import { parseCpuState, renderCpuState } from '../../core/cpus/cpu-checkpoint.ts';
import { toCpuHints, toPodCpuHints } from '../../core/cpus/cpu-hints.ts';
import { measureCpus } from '../../core/cpus/cpu-measurement.ts';
import type { CpuPolicy } from '../../core/cpus/cpu-policy.ts';
import { exclusiveCpus } from '../../core/cpus/cpu-request.ts';
import { type CpuSet, isSameCpuSet } from '../../core/cpus/cpu-set.ts';
import { type CpuState, checkCpuState, NO_CPU_STATE, returnCpus } from '../../core/cpus/cpu-state.ts';
import { groupsOf } from '../../core/cpus/cpu-topology.ts';
import { type PodUid, toPodUid } from '../../core/model/ids.ts';
import { containersOf } from '../../core/model/pod-containers.ts';
import type { AllocationFailure } from '../../core/topology/allocation-failure.ts';
import type { ResourceHints, TopologyHint } from '../../core/topology/topology-hint.ts';
import type { Kit } from '../../ports/kit.ts';
import type { HintProvider } from './hint-provider.ts';
import { StateFile, type StateFileParts } from './state-file.ts';

export interface CpuAssignerParts extends StateFileParts, Pick<Kit, 'meter'> {
  readonly rootDir: string;
  /** Undefined shares all CPUs among all containers. */
  readonly policy: CpuPolicy | undefined;
}

export class CpuAssigner implements HintProvider {
  readonly name = 'CPUs';
  readonly #parts: CpuAssignerParts;
  readonly #file: StateFile;
  readonly #shared = new Emitter();
  #state: CpuState = NO_CPU_STATE;

  constructor(parts: CpuAssignerParts) {
    this.#parts = parts;
    const render = (): string => renderCpuState(this.#policyName, this.#state);
    this.#file = new StateFile(parts.rootDir, 'cpu_manager_state', render, parts);
  }

  get state(): CpuState {
    return this.#state;
  }

  get policy(): CpuPolicy | undefined {
    return this.#parts.policy;
  }

  get #policyName(): 'static' | 'none' {
    return this.#parts.policy === undefined ? 'none' : 'static';
  }

  /** Rejects when what was saved is damaged or no longer fits the machine: CPUs could be given away twice. */
  async load(): Promise<void> {
    const { policy } = this.#parts;
    const text = await this.#file.read();
    const parsed = text === undefined ? { state: NO_CPU_STATE } : parseCpuState(text, this.#policyName);
    if ('problem' in parsed) throw this.#file.refuse('CPU', parsed.problem);
    const checked = policy === undefined ? NO_CPU_STATE : checkCpuState(policy, parsed.state);
    if ('problem' in checked) throw this.#file.refuse('CPU', checked.problem);
    this.#state = checked;
    this.#file.changed();
    this.#measure();
  }

  /** Calls `listener` when other CPUs are shared than before; dispose the result to stop. */
  onShared(listener: () => void): Disposable {
    return this.#shared.subscribe(listener);
  }

  /** The container's own CPUs, else those that are shared; undefined leaves it to the kernel. */
  cpusOf(uid: PodUid, container: string): CpuSet | undefined {
    if (this.#parts.policy === undefined) return undefined;
    return this.#state.assigned.get(uid)?.get(container) ?? this.#state.shared;
  }

  isExclusive(uid: PodUid, container: string): boolean {
    return this.#state.assigned.get(uid)?.has(container) === true;
  }

  concerns(pod: Pod): boolean {
    if (this.#parts.policy === undefined) return false;
    return containersOf(pod).some((container) => exclusiveCpus(pod, container) > 0);
  }

  hints(pod: Pod, container: Container): ResourceHints | undefined {
    const { policy } = this.#parts;
    return policy && toCpuHints(policy, this.#state, pod, container);
  }

  podHints(pod: Pod): ResourceHints | undefined {
    const { policy } = this.#parts;
    return policy && toPodCpuHints(policy, this.#state, pod);
  }

  allocate(pod: Pod, container: Container, { nodes }: TopologyHint): AllocationFailure | undefined {
    const { policy, meter } = this.#parts;
    if (policy === undefined || exclusiveCpus(pod, container) === 0) return undefined;
    const allocation = allocateCpus(policy, this.#state, pod, container, nodes);
    const given = allocation.ok ? allocation.given : undefined;
    meter.assigned({ kind: 'pinned', resource: 'cpu', ok: allocation.ok, isNew: given !== undefined });
    if (policy.options.fullCores)
      meter.assigned({ kind: 'aligned', scope: 'container', boundary: 'physical_cpu', ok: allocation.ok });
    if (!allocation.ok) return allocation;
    if (given !== undefined && groupsOf(policy.topology, given, 'cache').size <= 1)
      meter.assigned({ kind: 'aligned', scope: 'container', boundary: 'uncore_cache', ok: true });
    this.#set(allocation.state);
    return undefined;
  }

  held(): Iterable<PodUid> {
    return this.#state.assigned.keys();
  }

  has(uid: PodUid): boolean {
    return this.#state.assigned.has(toPodUid(uid));
  }

  release(uid: PodUid): void {
    this.#set(returnCpus(this.#state, uid));
  }

  /** Rejects with AgentError when what was assigned cannot be written. */
  async stored(): Promise<void> {
    if (this.#parts.policy !== undefined) await this.#file.stored();
  }

  flush(): Promise<void> {
    return this.#file.flush();
  }

  #set(state: CpuState): void {
    const before = this.#state;
    if (state === before) return;
    this.#state = state;
    this.#file.changed();
    this.#measure();
    if (!isSameCpuSet(before.shared, state.shared)) this.#shared.emit();
  }

  #measure(): void {
    const { policy, meter } = this.#parts;
    if (policy !== undefined) meter.assigned(measureCpus(policy, this.#state));
  }
}
