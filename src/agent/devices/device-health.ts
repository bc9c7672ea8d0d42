/** The health of the devices that containers have, for their status; reports the pods for which it changed. */
import { Emitter } from '../../base/async/emitter.ts';
import type { AllocatedResourceStatus } from '../../core/api/pod-status.ts';
import type { DeviceLedger } from '../../core/devices/device-ledger.ts';
import { toDeviceHealth } from '../../core/devices/to-device-health.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { DeviceResources } from './device-resources.ts';

export class DeviceHealth {
  readonly #resources: DeviceResources;
  readonly #ledger: DeviceLedger;
  readonly #changes = new Emitter<[uid: PodUid]>();
  readonly #published = new Map<PodUid, string>();

  constructor(resources: DeviceResources, ledger: DeviceLedger) {
    this.#resources = resources;
    this.#ledger = ledger;
    resources.subscribe((resource) => this.#compare(resource));
  }

  subscribe(listener: (uid: PodUid) => void): Disposable {
    return this.#changes.subscribe(listener);
  }

  /** By container; empty for a pod without devices. */
  of(uid: PodUid): ReadonlyMap<string, readonly AllocatedResourceStatus[]> {
    const health = toDeviceHealth(this.#ledger.ofPod(uid), (name) => this.#resources.devices(name));
    if (health.size > 0) this.#published.set(uid, JSON.stringify([...health]));
    return health;
  }

  #compare(resource: string): void {
    for (const uid of [...this.#published.keys()]) if (!this.#ledger.has(uid)) this.#published.delete(uid);
    const owners = new Set(
      this.#ledger.all().flatMap((one) => (one.resource === resource ? [one.podUid] : [])),
    );
    for (const uid of owners) {
      const before = this.#published.get(uid);
      if (before !== JSON.stringify([...this.of(uid)])) this.#changes.emit(uid);
    }
  }
}
