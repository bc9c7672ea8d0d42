/**
 * What the node has granted each pod and what of it is in force, in the two
 * files the upstream kubelet keeps for it. The one writer of both facts:
 * grants come from admission, what is in force from the performers.
 */
import { Emitter } from '../../base/async/emitter.ts';
import type { Container, Pod, ResourceRequirements } from '../../core/api/pod.ts';
import {
  type GrantedResources,
  isSameRequirements,
  type ResizeGates,
  toGrantedResources,
  withGrantedResources,
} from '../../core/model/granted-resources.ts';
import { type PodUid, toPodUid } from '../../core/model/ids.ts';
import { containersOf } from '../../core/model/pod-containers.ts';
import { effectiveResources } from '../../core/pod/decide-resize.ts';
import { AllocationFile, type AllocationFileParts } from './allocation-file.ts';

export interface PodAllocationsParts extends AllocationFileParts {
  readonly rootDir: string;
  readonly gates: ResizeGates;
}

export class PodAllocations {
  readonly name = 'pod allocations';
  readonly gates: ResizeGates;
  readonly #granted: AllocationFile;
  readonly #actuated: AllocationFile;
  readonly #actuations = new Emitter<[PodUid]>();

  constructor({ rootDir, gates, ...parts }: PodAllocationsParts) {
    this.gates = gates;
    this.#granted = new AllocationFile(`${rootDir}/allocated_pods_state`, parts);
    this.#actuated = new AllocationFile(`${rootDir}/actuated_pods_state`, parts);
  }

  /** Rejects with AgentError when a file is damaged or cannot be read. */
  async load(): Promise<void> {
    await this.#granted.load();
    await this.#actuated.load();
  }

  /** Calls `listener` after what is in force for a pod has changed; dispose the result to stop. */
  onActuated(listener: (uid: PodUid) => void): Disposable {
    return this.#actuations.subscribe(listener);
  }

  /** The pod with what it was granted; as it is when it was never granted anything. */
  apply(pod: Pod): Pod {
    return withGrantedResources(pod, this.#granted.get(toPodUid(pod.metadata.uid)), this.gates);
  }

  has(uid: PodUid): boolean {
    return this.#granted.get(uid) !== undefined;
  }

  /** The node grants what the spec asks for. */
  grant(pod: Pod): void {
    this.#granted.set(toPodUid(pod.metadata.uid), toGrantedResources(pod, this.gates));
  }

  /** What is in force; undefined when no record was kept. */
  actuated(uid: PodUid): GrantedResources | undefined {
    return this.#actuated.get(uid);
  }

  /** The cgroup of the pod was made with its limits; containers that have none yet are known from now on. */
  notePodCgroup({ metadata, spec }: Pod): void {
    const uid = toPodUid(metadata.uid);
    const fresh = (): GrantedResources['containers'] =>
      Object.fromEntries(
        containersOf({ spec }).map((one) => [one.name, this.#effective(one, spec.resources)]),
      );
    const containers = this.actuated(uid)?.containers ?? fresh();
    this.#put(uid, { containers, ...(spec.resources !== undefined && { pod: spec.resources }) });
  }

  /** The limits of the pod as a whole are in force. */
  notePodLevel({ metadata, spec }: Pod): void {
    const uid = toPodUid(metadata.uid);
    if (spec.resources === undefined) return;
    this.#put(uid, { containers: this.actuated(uid)?.containers ?? {}, pod: spec.resources });
  }

  /** The container has these resources. True when it had others before: then the record has to be safe first. */
  noteContainer({ metadata, spec }: Pod, container: Pick<Container, 'name' | 'resources'>): boolean {
    const uid = toPodUid(metadata.uid);
    const before = this.actuated(uid);
    const resources = this.#effective(container, spec.resources);
    const known = before?.containers[container.name];
    this.#put(uid, { ...before, containers: { ...before?.containers, [container.name]: resources } });
    return known !== undefined && !isSameRequirements(known, resources);
  }

  /** Rejects with AgentError when what is known cannot be written. */
  async stored(): Promise<void> {
    await Promise.all([this.#granted.stored(), this.#actuated.stored()]);
  }

  /** Writes what is left to write; a failure is only logged. */
  async flush(): Promise<void> {
    await Promise.all([this.#granted.flush(), this.#actuated.flush()]);
  }

  podGone({ uid }: { readonly uid: PodUid }): void {
    this.#granted.delete(uid);
    this.#actuated.delete(uid);
  }

  /** Drops what an earlier life of the agent knew of pods that are gone. */
  retain(isKept: (uid: PodUid) => boolean): void {
    this.#granted.retain(isKept);
    this.#actuated.retain(isKept);
  }

  #effective(
    { resources }: Pick<Container, 'resources'>,
    ofPod: ResourceRequirements | undefined,
  ): ResourceRequirements {
    return effectiveResources(resources, ofPod, this.gates);
  }

  #put(uid: PodUid, allocation: GrantedResources): void {
    this.#actuated.set(uid, allocation);
    this.#actuations.emit(uid);
  }
}
