/**
 * The extended resources that device plugins offer, and what is known of their
 * devices. The one writer of these facts; plugins come and go behind it.
 *
 *   (checkpoint) ─► awaited ──registered──► serving ──stream ends──► gone ──5 min──► removed
 *                      └──5 min──► removed     ▲──────registered again──┘              │
 *                                              └───────────────────────────────────────┘
 *
 * Invariants: one plugin speaks for a resource, the one that registered last;
 * devices are healthy only while it does; a removed resource is reported with 0.
 */
import type { Clock } from '../../base/async/clock.ts';
import { Emitter } from '../../base/async/emitter.ts';
import type { Device, DeviceMap } from '../../core/devices/device.ts';
import type { DeviceResource } from '../../core/node-status/node-status-facts.ts';
import type { DevicePlugin, DevicePluginOptions } from '../../ports/devices/device-plugin.ts';

/** How long the devices of a plugin that is gone are still counted. */
const GRACE_MS = 300_000;
/** How long pods wait for a plugin that was there: it registers again within seconds when it can. */
const RETURN_MS = 30_000;

export interface ServingPlugin {
  readonly plugin: DevicePlugin;
  /** Where it serves, as it said when it registered. */
  readonly endpoint: string;
  readonly options: DevicePluginOptions;
}

interface Resource {
  readonly devices: DeviceMap;
  readonly serving: ServingPlugin | undefined;
  /** It has sent its devices at least once since it registered. */
  readonly isListed: boolean;
  /** Since when no plugin speaks for it. */
  readonly goneAtMs: number | undefined;
  readonly grace: Disposable | undefined;
}

export class DeviceResources {
  readonly #clock: Clock;
  readonly #resources = new Map<string, Resource>();
  readonly #removed = new Set<string>();
  readonly #changes = new Emitter<[resource: string]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `listener` after anything of a resource has changed; dispose the result to stop. */
  subscribe(listener: (resource: string) => void): Disposable {
    return this.#changes.subscribe(listener);
  }

  names(): string[] {
    return [...this.#resources.keys()];
  }

  /** Undefined for a resource that no plugin has offered. */
  devices(resource: string): DeviceMap | undefined {
    return this.#resources.get(resource)?.devices;
  }

  serving(resource: string): ServingPlugin | undefined {
    return this.#resources.get(resource)?.serving;
  }

  /** Until when its plugin is expected back; undefined when it is there, or unknown. */
  expectedUntilMs(resource: string): number | undefined {
    const known = this.#resources.get(resource);
    if (known === undefined || (known.serving !== undefined && known.isListed)) return undefined;
    return (known.goneAtMs ?? this.#clock.steady()) + RETURN_MS;
  }

  /** Ids of the healthy devices of each resource, as the checkpoint keeps them. */
  registered(): ReadonlyMap<string, readonly string[]> {
    return new Map(
      [...this.#resources].map(([name, { devices }]) => [
        name,
        [...devices.values()].filter(({ isHealthy }) => isHealthy).map(({ id }) => id),
      ]),
    );
  }

  /** `countAssigned` is how many of a resource pods have. */
  report(countAssigned: (resource: string) => number): DeviceResource[] {
    const known = [...this.#resources].map(([name, { devices }]) => ({
      name,
      capacity: devices.size,
      allocatable: [...devices.values()].filter(({ isHealthy }) => isHealthy).length,
      assigned: countAssigned(name),
    }));
    const gone = [...this.#removed].map((name) => ({ name, capacity: 0, allocatable: 0, assigned: 0 }));
    return [...known, ...gone];
  }

  /** An earlier life of the agent knew its plugin; its devices come with the next registration. */
  await(resource: string): void {
    if (!this.#resources.has(resource)) this.#leave(resource, new Map());
  }

  /** From now on this plugin speaks for the resource. Returns the one that did before. */
  serve(resource: string, serving: ServingPlugin): ServingPlugin | undefined {
    const before = this.#resources.get(resource);
    before?.grace?.[Symbol.dispose]();
    this.#removed.delete(resource);
    const devices = before?.devices ?? new Map<string, Device>();
    const goneAtMs = this.#clock.steady();
    this.#resources.set(resource, { devices, serving, isListed: false, goneAtMs, grace: undefined });
    this.#changes.emit(resource);
    return before?.serving;
  }

  /** Without effect when another plugin speaks for the resource by now. */
  list(resource: string, from: ServingPlugin, devices: readonly Device[]): void {
    const known = this.#resources.get(resource);
    if (known?.serving !== from) return;
    const byId = new Map(devices.map((device) => [device.id, device]));
    this.#resources.set(resource, { ...known, devices: byId, isListed: true, goneAtMs: undefined });
    this.#changes.emit(resource);
  }

  /** The plugin is gone; without effect when another one speaks for the resource by now. */
  lose(resource: string, from: ServingPlugin): void {
    const known = this.#resources.get(resource);
    if (known?.serving !== from) return;
    const unhealthy = [...known.devices].map(
      ([id, device]) => [id, { ...device, isHealthy: false }] as const,
    );
    this.#leave(resource, new Map(unhealthy));
  }

  /** Ends timers. */
  close(): void {
    for (const { grace } of this.#resources.values()) grace?.[Symbol.dispose]();
  }

  #leave(resource: string, devices: DeviceMap): void {
    const grace = this.#clock.startTimer(GRACE_MS, () => this.#remove(resource));
    const goneAtMs = this.#clock.steady();
    this.#resources.set(resource, { devices, serving: undefined, isListed: false, goneAtMs, grace });
    this.#changes.emit(resource);
  }

  #remove(resource: string): void {
    this.#resources.delete(resource);
    this.#removed.add(resource);
    this.#changes.emit(resource);
  }
}
