/**
 * Who has which device: one entry for each container and resource. A device
 * may stand in several entries of one pod, because a container takes over what
 * an init container no longer needs.
 *
 * Invariant: no id of a resource stands under two pods.
 */
import type { PodUid } from '../model/ids.ts';
import { type DeviceAssignment, idsOf } from './device.ts';

type OfPod = Map<string, DeviceAssignment>;

export class DeviceLedger {
  readonly #pods = new Map<PodUid, OfPod>();

  /** Throws when another pod has one of the devices: that would be a bug of the caller. */
  put(assignment: DeviceAssignment): void {
    const { podUid, container, resource } = assignment;
    const taken = this.takenFrom(podUid, resource);
    const twice = idsOf(assignment).find((id) => taken.has(id));
    if (twice !== undefined) throw new Error(`device "${twice}" of ${resource} belongs to another pod`);
    const pod = this.#pods.get(podUid) ?? new Map();
    pod.set(toKey(container, resource), assignment);
    this.#pods.set(podUid, pod);
  }

  get(uid: PodUid, container: string, resource: string): DeviceAssignment | undefined {
    return this.#pods.get(uid)?.get(toKey(container, resource));
  }

  has(uid: PodUid): boolean {
    return this.#pods.has(uid);
  }

  ofPod(uid: PodUid): DeviceAssignment[] {
    return [...(this.#pods.get(uid)?.values() ?? [])];
  }

  ofContainer(uid: PodUid, container: string): DeviceAssignment[] {
    return this.ofPod(uid).filter((one) => one.container === container);
  }

  /** Oldest pod first. */
  all(): DeviceAssignment[] {
    return [...this.#pods.values()].flatMap((pod) => [...pod.values()]);
  }

  pods(): PodUid[] {
    return [...this.#pods.keys()];
  }

  /** Ids of the resource that pods have. */
  taken(resource: string): Set<string> {
    return this.#taken(resource, () => true);
  }

  /** Ids of the resource that other pods than this one have. */
  takenFrom(uid: PodUid, resource: string): Set<string> {
    return this.#taken(resource, ({ podUid }) => podUid !== uid);
  }

  /** True when the pod had something. */
  release(uid: PodUid): boolean {
    return this.#pods.delete(uid);
  }

  releaseOne({ podUid, container, resource }: DeviceAssignment): void {
    const pod = this.#pods.get(podUid);
    pod?.delete(toKey(container, resource));
    if (pod?.size === 0) this.#pods.delete(podUid);
  }

  #taken(resource: string, counts: (one: DeviceAssignment) => boolean): Set<string> {
    return new Set(
      this.all()
        .filter((one) => one.resource === resource && counts(one))
        .flatMap(idsOf),
    );
  }
}

/** No name of a container or resource has a zero byte in it. */
function toKey(container: string, resource: string): string {
  return `${container}\0${resource}`;
}
