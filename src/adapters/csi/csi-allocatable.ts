/**
 * The number of volumes a node can have may change while it runs. Drivers whose
 * CSIDriver object sets an update period are asked periodically, and the CSINode
 * shows their answer. While a driver does not answer, the last value stays.
 */

import type { Clock } from '../../base/async/clock.ts';
import { whenAborted } from '../../base/async/when-aborted.ts';
import type { Logger } from '../../base/log.ts';
import type { CsiDriverList } from './csi-driver-list.ts';
import type { CsiDrivers } from './csi-drivers.ts';
import type { CsiNodeRecord } from './csi-registration.ts';

export interface CsiAllocatableParts {
  readonly drivers: CsiDrivers;
  readonly driverObjects: Pick<CsiDriverList, 'peek' | 'subscribe'>;
  readonly record: Pick<CsiNodeRecord, 'add'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Plan {
  readonly periodMs: number;
  readonly timer: Disposable;
}

export class CsiAllocatable {
  readonly #parts: CsiAllocatableParts;
  readonly #plans = new Map<string, Plan>();
  /** Set while it runs: before that nothing is asked. */
  #stop: AbortSignal | undefined;

  constructor(parts: CsiAllocatableParts) {
    this.#parts = parts;
  }

  /** Drivers were registered or removed, or their CSIDriver objects changed. */
  look(): void {
    const stop = this.#stop;
    if (stop === undefined) return;
    const { drivers, driverObjects } = this.#parts;
    for (const [name, { timer }] of this.#plans) {
      if (drivers.names.includes(name)) continue;
      timer[Symbol.dispose]();
      this.#plans.delete(name);
    }
    if (stop.aborted) return;
    for (const name of drivers.names) {
      const periodMs = (driverObjects.peek(name)?.nodeAllocatableUpdatePeriodSeconds ?? 0) * 1000;
      if (periodMs !== (this.#plans.get(name)?.periodMs ?? 0)) this.#plan(name, periodMs, stop);
    }
  }

  /** Asks the driver at once: the node turned out to have less room than the CSINode shows. Never rejects. */
  async refresh(name: string): Promise<void> {
    if (this.#stop !== undefined) await this.#read(name, this.#stop);
  }

  /** Until `stop` aborts. */
  async run(stop: AbortSignal): Promise<void> {
    this.#stop = stop;
    using _subscription = this.#parts.driverObjects.subscribe(() => this.look());
    this.look();
    await whenAborted(stop);
    for (const { timer } of this.#plans.values()) timer[Symbol.dispose]();
    this.#plans.clear();
  }

  /** Without a period no timer is set. */
  #plan(name: string, periodMs: number, stop: AbortSignal): void {
    this.#plans.get(name)?.timer[Symbol.dispose]();
    this.#plans.delete(name);
    if (periodMs === 0 || stop.aborted) return;
    const timer = this.#parts.clock.startTimer(periodMs, () => void this.#ask(name, periodMs, stop));
    this.#plans.set(name, { periodMs, timer });
  }

  async #ask(name: string, periodMs: number, stop: AbortSignal): Promise<void> {
    await this.#read(name, stop);
    // Unless the period changed, or the driver was removed, during the call.
    if (this.#plans.get(name)?.periodMs === periodMs) this.#plan(name, periodMs, stop);
  }

  async #read(name: string, stop: AbortSignal): Promise<void> {
    const { drivers, record, logger } = this.#parts;
    try {
      const facts = await drivers.client(name)?.nodeInfo(stop);
      if (facts !== undefined) await record.add({ driver: name, ...facts }, stop);
    } catch (error) {
      if (!stop.aborted) logger.error('cannot read the volume limit of a driver', error, { driver: name });
    }
  }
}
