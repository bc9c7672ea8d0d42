/**
 * Gives pods the resources that only one container can have, as a step of
 * their admission. One pod at a time: a choice is made on what is free, and
 * nothing changes that between the question and the answer. Most answers are
 * there at once; a pod whose provider has to ask outside is undecided
 * meanwhile, and only those that want something of their own wait for it.
 *
 * A pod keeps what it was given until it has ended (`release`), also while it
 * is being stopped: its containers still use it.
 */
import { andThen, firstLater, type Later } from '../../base/async/later.ts';
import { errorText } from '../../base/errors.ts';
import type { Container, Pod, ResourceList } from '../../core/api/pod.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import { type PodUid, toPodUid } from '../../core/model/ids.ts';
import { containersOf } from '../../core/model/pod-containers.ts';
import type { AdmissionRefusal } from '../../core/node/admission-facts.ts';
import { TOPOLOGY_REFUSAL, toRefusal } from '../../core/topology/allocation-failure.ts';
import { type MergedHint, mergeHints } from '../../core/topology/merge-hints.ts';
import { renderMisplacement } from '../../core/topology/render-misplacement.ts';
import { ANYWHERE, type ResourceHints, type TopologyHint } from '../../core/topology/topology-hint.ts';
import type { NumaLayout, TopologyPolicy } from '../../core/topology/topology-policy.ts';
import type { Kit } from '../../ports/kit.ts';
import type { HintProvider } from './hint-provider.ts';

export interface PodAssignerParts extends Pick<Kit, 'clock' | 'meter'> {
  /** In the order in which they are asked: devices, CPUs, memory. */
  readonly providers: readonly HintProvider[];
  readonly policy: TopologyPolicy;
  readonly numa: NumaLayout;
}

type Hints = readonly (ResourceHints | undefined)[];
type Assigned = Later<AdmissionRefusal | undefined>;

export class PodAssigner {
  readonly name = 'pod assigner';
  readonly #parts: PodAssignerParts;
  /** The places that were found, by pod and container. */
  readonly #places = new Map<PodUid, Map<string, TopologyHint>>();
  /** Pods that had something before they were last assigned to: they may run already. */
  readonly #before = new Set<PodUid>();
  /** The assignment that is under way outside, with all that wait for it. */
  #last: Promise<unknown> | undefined;

  constructor(parts: PodAssignerParts) {
    this.#parts = parts;
  }

  /** Whether the pod asks any provider for something of its own. */
  concerns(pod: Pod): boolean {
    return this.#parts.providers.some((provider) => provider.concerns(pod));
  }

  /** Undefined when the pod has all it asks for. Never rejects. */
  assign(pod: Pod): Assigned {
    const { clock, meter } = this.#parts;
    const startedAtMs = clock.steady();
    meter.assigned({ kind: 'requested' });
    const done = (refusal: AdmissionRefusal | undefined): AdmissionRefusal | undefined => {
      meter.assigned({ kind: 'admitted', durationMs: clock.steady() - startedAtMs });
      return refusal;
    };
    return andThen(this.concerns(pod) ? this.#inTurn(pod) : this.#assignNow(pod), done);
  }

  /** A promise while a provider expects something the pod asks for to be there soon. */
  whenReady(pod: Pod): Promise<unknown> | undefined {
    const waits = this.#parts.providers.flatMap((provider) => provider.whenReady?.(pod) ?? []);
    return waits.length === 0 ? undefined : Promise.all(waits);
  }

  /** Completes an assignment; what it refuses is taken back. Never rejects. */
  settle(pod: Pod): Assigned {
    const failure = firstLater(this.#parts.providers, (provider) => provider.settle?.(pod));
    return andThen(failure, (found) => {
      if (found === undefined) return undefined;
      this.undo(toPodUid(pod.metadata.uid));
      return toRefusal(found);
    });
  }

  /** The pod is not admitted after all: takes back what its last assignment gave. */
  undo(uid: PodUid): void {
    if (!this.#before.has(uid)) this.release(uid);
  }

  release(uid: PodUid): void {
    for (const provider of this.#parts.providers) provider.release(uid);
    this.#places.delete(uid);
    this.#before.delete(uid);
  }

  /** Takes back what pods have that are gone or have ended. */
  retain(isKept: (uid: PodUid) => boolean): void {
    const held = new Set(this.#parts.providers.flatMap((provider) => [...provider.held()]));
    for (const uid of held) if (!isKept(uid)) this.release(uid);
  }

  podGone({ uid }: Pick<DesiredPod, 'uid'>): void {
    this.release(uid);
  }

  /** Where the container was placed in this life of the agent. */
  place(uid: PodUid, container: string): TopologyHint | undefined {
    return this.#places.get(uid)?.get(container);
  }

  #inTurn(pod: Pod): Assigned {
    const turn = this.#last === undefined ? this.#guarded(pod) : this.#last.then(() => this.#guarded(pod));
    if (!(turn instanceof Promise)) return turn;
    const last = turn.finally(() => {
      if (this.#last === last) this.#last = undefined;
    });
    this.#last = last;
    return last;
  }

  /** A bug of a provider refuses this pod and no other. */
  #guarded(pod: Pod): Assigned {
    const refuse = (error: unknown): AdmissionRefusal => toRefusal({ message: errorText(error) });
    try {
      const refusal = this.#assignNow(pod);
      return refusal instanceof Promise ? refusal.catch(refuse) : refusal;
    } catch (error) {
      return refuse(error);
    }
  }

  #assignNow(pod: Pod): Assigned {
    const { policy, providers } = this.#parts;
    const uid = toPodUid(pod.metadata.uid);
    const isHeld = providers.some((provider) => [...provider.held()].includes(uid));
    if (isHeld) this.#before.add(uid);
    else this.#before.delete(uid);
    const refusal = policy.scope === 'pod' && policy.name !== 'none' ? this.#asOne(pod) : this.#each(pod);
    return andThen(refusal, (found) => {
      if (found !== undefined) this.undo(uid);
      return found;
    });
  }

  /** Each container has a place of its own. */
  #each(pod: Pod): Assigned {
    const { providers, policy } = this.#parts;
    const counted = policy.name === 'single-numa-node';
    return firstLater(containersOf(pod), (container) => {
      const merged = this.#merge(() => providers.map((provider) => provider.hints(pod, container)));
      if (!merged.admit) return this.#misplaced('container', askedOf([container]), merged.hints);
      return andThen(this.#allocate(pod, container, merged.hint), (refusal) => {
        if (refusal === undefined && counted) this.#countAligned('container', true);
        return refusal;
      });
    });
  }

  /** All containers have the same place. */
  #asOne(pod: Pod): Assigned {
    const { providers, policy } = this.#parts;
    const merged = this.#merge(() => providers.map((provider) => provider.podHints(pod)));
    if (!merged.admit) return this.#misplaced('pod', askedOf(containersOf(pod)), merged.hints);
    const refusal = firstLater(containersOf(pod), (container) => this.#allocate(pod, container, merged.hint));
    return andThen(refusal, (found) => {
      if (found === undefined && policy.name === 'single-numa-node') this.#countAligned('pod', true);
      return found;
    });
  }

  /** Without a policy hints are not even asked for. */
  #merge(readHints: () => Hints): MergedHint & { readonly hints: Hints } {
    const { policy, numa } = this.#parts;
    if (policy.name === 'none') return { hint: ANYWHERE, admit: true, hints: [] };
    const hints = readHints();
    return { ...mergeHints(hints, numa, policy), hints };
  }

  #misplaced(scope: 'container' | 'pod', asked: ResourceList, hints: Hints): AdmissionRefusal {
    const { policy, meter } = this.#parts;
    if (policy.name === 'single-numa-node') this.#countAligned(scope, false);
    meter.assigned({ kind: 'refused' });
    return { ...TOPOLOGY_REFUSAL, note: renderMisplacement({ asked, hints, policy: policy.name }) };
  }

  #allocate(pod: Pod, container: Container, place: TopologyHint): Assigned {
    const { providers, policy, meter } = this.#parts;
    const uid = toPodUid(pod.metadata.uid);
    const places = this.#places.get(uid) ?? new Map<string, TopologyHint>();
    this.#places.set(uid, places.set(container.name, place));
    const failure = firstLater(providers, (provider) => provider.allocate(pod, container, place));
    return andThen(failure, (found) => {
      if (found === undefined) return undefined;
      if (policy.name !== 'none') meter.assigned({ kind: 'refused' });
      return toRefusal(found);
    });
  }

  #countAligned(scope: 'container' | 'pod', ok: boolean): void {
    this.#parts.meter.assigned({ kind: 'aligned', scope, boundary: 'numa_node', ok });
  }
}

/** What one container asks for; of several, each amount in the order of the containers. */
function askedOf(containers: readonly Container[]): ResourceList {
  const asked: Record<string, string> = {};
  for (const { resources } of containers)
    for (const [name, amount] of Object.entries({ ...resources?.limits, ...resources?.requests }))
      asked[name] = asked[name] === undefined ? String(amount) : `${asked[name]}+${amount}`;
  return asked;
}
