/**
 * Who has memory of which NUMA nodes. The one writer of that state and its
 * file. Only Guaranteed pods have some; all others use what the kernel finds.
 */
import type { Container, Pod } from '../../core/api/pod.ts';
import { type PodUid, toPodUid } from '../../core/model/ids.ts';
import { initContainersOf, isSidecar } from '../../core/model/pod-containers.ts';
import { allocateMemory } from '../../core/numa-memory/allocate-memory.ts';
import { checkMemoryState } from '../../core/numa-memory/check-memory-state.ts';
import { parseMemoryState, renderMemoryState } from '../../core/numa-memory/memory-checkpoint.ts';
import { toMemoryHints, toPodMemoryHints } from '../../core/numa-memory/memory-hints.ts';
import { isPinned } from '../../core/numa-memory/memory-request.ts';
import { NOTHING_REUSABLE, type ReusableMemory } from '../../core/numa-memory/memory-reuse.ts';
import { type MemoryState, NO_MEMORY_STATE, returnMemory } from '../../core/numa-memory/memory-state.ts';
import type { AllocationFailure } from '../../core/topology/allocation-failure.ts';
import type { ResourceHints, TopologyHint } from '../../core/topology/topology-hint.ts';
import type { Kit } from '../../ports/kit.ts';
import type { HintProvider } from './hint-provider.ts';
import { StateFile, type StateFileParts } from './state-file.ts';

export interface MemoryAssignerParts extends StateFileParts, Pick<Kit, 'meter'> {
  readonly rootDir: string;
  /** The machine with nothing given; undefined leaves all memory to the kernel. */
  readonly fresh: MemoryState | undefined;
}

export class MemoryAssigner implements HintProvider {
  readonly name = 'memory of NUMA nodes';
  readonly #parts: MemoryAssignerParts;
  readonly #file: StateFile;
  /** What the pod that was admitted last can use again. */
  #reusable: { readonly uid: PodUid; readonly memory: ReusableMemory } | undefined;
  #state: MemoryState = NO_MEMORY_STATE;

  constructor(parts: MemoryAssignerParts) {
    this.#parts = parts;
    const render = (): string => renderMemoryState(this.#policyName, this.#state);
    this.#file = new StateFile(parts.rootDir, 'memory_manager_state', render, parts);
  }

  get state(): MemoryState {
    return this.#state;
  }

  get #policyName(): 'Static' | 'None' {
    return this.#parts.fresh === undefined ? 'None' : 'Static';
  }

  /** Rejects when what was saved is damaged or no longer fits the machine. */
  async load(): Promise<void> {
    const { fresh } = this.#parts;
    const text = await this.#file.read();
    const parsed = text === undefined ? { state: NO_MEMORY_STATE } : parseMemoryState(text, this.#policyName);
    if ('problem' in parsed) throw this.#file.refuse('memory', parsed.problem);
    const checked = fresh === undefined ? NO_MEMORY_STATE : checkMemoryState(fresh, parsed.state);
    if ('problem' in checked) throw this.#file.refuse('memory', checked.problem);
    this.#state = checked;
    this.#file.changed();
  }

  /** The nodes the container's memory is from; undefined when it may be from any. */
  nodesOf(uid: PodUid, container: string): readonly number[] | undefined {
    const blocks = this.#state.assigned.get(uid)?.get(container) ?? [];
    const nodes = new Set(blocks.flatMap((block) => block.nodes));
    return nodes.size === 0 ? undefined : [...nodes].sort((a, b) => a - b);
  }

  concerns(pod: Pod): boolean {
    return this.#parts.fresh !== undefined && isPinned(pod);
  }

  hints(pod: Pod, container: Container): ResourceHints | undefined {
    if (this.#parts.fresh === undefined) return undefined;
    return toMemoryHints(this.#state, this.#reusableOf(pod), pod, container);
  }

  podHints(pod: Pod): ResourceHints | undefined {
    if (this.#parts.fresh === undefined) return undefined;
    return toPodMemoryHints(this.#state, this.#reusableOf(pod), pod);
  }

  allocate(pod: Pod, container: Container, place: TopologyHint): AllocationFailure | undefined {
    const { fresh, meter } = this.#parts;
    if (fresh === undefined || !isPinned(pod)) return undefined;
    const allocation = allocateMemory(this.#state, this.#reusableOf(pod), pod, container, place);
    const isNew = allocation.ok && allocation.given;
    meter.assigned({ kind: 'pinned', resource: 'memory', ok: allocation.ok, isNew });
    if (!allocation.ok) return allocation;
    this.#reusable = { uid: toPodUid(pod.metadata.uid), memory: allocation.reusable };
    this.#set(allocation.state);
    return undefined;
  }

  /** What init containers before this one had is free again: they have ended. */
  started(pod: Pod, container: string): void {
    const init = initContainersOf(pod);
    const own = init.findIndex(({ name }) => name === container);
    const before = own === -1 ? init : init.slice(0, own);
    const ended = before.filter((one) => !isSidecar(one)).map(({ name }) => name);
    this.#set(returnMemory(this.#state, toPodUid(pod.metadata.uid), ended));
  }

  held(): Iterable<PodUid> {
    return this.#state.assigned.keys();
  }

  release(uid: PodUid): void {
    this.#set(returnMemory(this.#state, uid));
  }

  /** Rejects with AgentError when what was assigned cannot be written. */
  async stored(): Promise<void> {
    if (this.#parts.fresh !== undefined) await this.#file.stored();
  }

  flush(): Promise<void> {
    return this.#file.flush();
  }

  #reusableOf({ metadata }: Pod): ReusableMemory {
    return this.#reusable?.uid === metadata.uid ? this.#reusable.memory : NOTHING_REUSABLE;
  }

  #set(state: MemoryState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#file.changed();
  }
}
