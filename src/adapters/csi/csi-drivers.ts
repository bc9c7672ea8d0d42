/**
 * The storage drivers that are registered on this node. Written by the
 * registration alone; everyone else looks drivers up by name.
 */
import type { Clock } from '../../base/clock.ts';
import type { CsiVersion } from '../../core/volume/csi/csi-version.ts';
import { type CsiCall, CsiClient } from './csi-client.ts';

export interface RegisteredDriver {
  readonly endpoint: string;
  readonly version: CsiVersion;
}

export class CsiDrivers {
  readonly #clock: Clock;
  readonly #onCall: (driver: string, call: CsiCall) => void;
  readonly #drivers = new Map<string, RegisteredDriver>();

  constructor(clock: Clock, onCall: (driver: string, call: CsiCall) => void = () => {}) {
    this.#clock = clock;
    this.#onCall = onCall;
  }

  get names(): readonly string[] {
    return [...this.#drivers.keys()];
  }

  get(name: string): RegisteredDriver | undefined {
    return this.#drivers.get(name);
  }

  /** Undefined for a driver that is not registered. */
  client(name: string): CsiClient | undefined {
    const driver = this.#drivers.get(name);
    if (driver === undefined) return undefined;
    return new CsiClient(driver.endpoint, this.#clock, (call) => this.#onCall(name, call));
  }

  put(name: string, driver: RegisteredDriver): void {
    this.#drivers.set(name, driver);
  }

  delete(name: string): void {
    this.#drivers.delete(name);
  }
}

/** What is said about a driver that is not there. */
export function notRegistered(name: string): string {
  return `driver name ${name} not found in the list of registered CSI drivers`;
}
