/**
 * Asks whether the node takes a pod, in the order in which the refusals count:
 * what is checked first, then what the pod is assigned for itself, then its
 * place among the others. Mostly decided at once; a promise when the node
 * object has to be read again or a device has to be asked for.
 */
import { andThen, type Later } from '../../base/async/later.ts';
import { AgentError } from '../../base/errors.ts';
import type { Pod } from '../../core/api/pod.ts';
import { type PodUid, toPodUid } from '../../core/model/ids.ts';
import type { AdmissionRefusal } from '../../core/node/admission-facts.ts';
import type { Admission } from '../../core/node/admit-pod.ts';

/** Gives pods what only one container can have. */
export interface Assigner {
  /** Whether the pod asks for anything that only one container can have. */
  concerns(pod: Pod): boolean;
  /** A promise while something the pod asks for is expected to be there soon. */
  whenReady(pod: Pod): Promise<unknown> | undefined;
  /** Undefined when the pod has all it asks for. Never rejects. */
  assign(pod: Pod): Later<AdmissionRefusal | undefined>;
  /** Completes an assignment that was made. Never rejects. */
  settle(pod: Pod): Later<AdmissionRefusal | undefined>;
  /** The pod is not admitted after all. */
  undo(uid: PodUid): void;
}

export interface AdmissionDeskParts {
  /** Whether the node takes a pod it sees for the first time, beside the others; without it all are taken. */
  readonly admit?: ((pod: Pod, others: readonly Pod[]) => Admission) | undefined;
  /** Refreshes the node object that admission reads; absent where there is none. */
  readonly refreshNode?: (() => Promise<void>) | undefined;
  readonly assigner?: Assigner | undefined;
}

export class AdmissionDesk {
  readonly #parts: AdmissionDeskParts;

  constructor(parts: AdmissionDeskParts) {
    this.#parts = parts;
  }

  /** Whether the pod asks for anything that only one container can have. */
  concerns(pod: Pod): boolean {
    return this.#parts.assigner?.concerns(pod) === true;
  }

  /** Whether there is a place for the pod beside the others, or may be; what it is assigned is not asked. */
  mayFit(pod: Pod, others: readonly Pod[]): boolean {
    const admission = this.#admit(pod, others);
    return admission.ok || admission.mayBeStale === true;
  }

  /** `readOthers` are the pods that hold something of the node now; it is asked again after a wait. */
  ask(pod: Pod, readOthers: () => readonly Pod[]): Later<Admission> {
    const wait = this.#parts.assigner?.whenReady(pod);
    return wait === undefined
      ? this.#askNow(pod, readOthers)
      : wait.then(() => this.#askNow(pod, readOthers));
  }

  /** The pod is forgotten, maybe without ever having started. */
  forget(uid: PodUid): void {
    this.#parts.assigner?.undo(uid);
  }

  #askNow(pod: Pod, readOthers: () => readonly Pod[]): Later<Admission> {
    const { refreshNode } = this.#parts;
    const admission = this.#admit(pod, readOthers());
    if (admission.ok || admission.mayBeStale !== true || refreshNode === undefined)
      return this.#assign(pod, admission);
    return this.#askAgain(pod, readOthers, refreshNode);
  }

  /** The pod may have been sent here for a label that the node has only just got. */
  async #askAgain(
    pod: Pod,
    readOthers: () => readonly Pod[],
    refreshNode: () => Promise<void>,
  ): Promise<Admission> {
    try {
      await refreshNode();
    } catch (error) {
      // When the refresh fails, admission uses what is known.
      if (!(error instanceof AgentError)) throw error;
    }
    return this.#assign(pod, this.#admit(pod, readOthers()));
  }

  #admit(pod: Pod, others: readonly Pod[]): Admission {
    return this.#parts.admit?.(pod, others) ?? { ok: true, victims: [] };
  }

  /** Also for a pod that has no place: what it cannot be assigned is the refusal that is reported. */
  #assign(pod: Pod, admission: Admission): Later<Admission> {
    const { assigner } = this.#parts;
    if (assigner === undefined || (!admission.ok && admission.beforeAssignment === true)) return admission;
    return andThen(assigner.assign(pod), (refusal): Later<Admission> => {
      if (refusal !== undefined) return { ok: false, ...refusal };
      if (admission.ok)
        return andThen(assigner.settle(pod), (failure) =>
          failure === undefined ? admission : { ok: false, ...failure },
        );
      assigner.undo(toPodUid(pod.metadata.uid));
      return admission;
    });
  }
}
