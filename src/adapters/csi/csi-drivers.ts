/**
 * The storage drivers that are registered on this node. Written by the
 * registration alone; everyone else looks drivers up by name.
 */
import type { Clock } from '../../base/async/clock.ts';
import { KeyedEmitter } from '../../base/async/keyed-emitter.ts';
import { onAbort } from '../../base/async/on-abort.ts';
import type { CsiVersion } from '../../core/volume/csi/csi-version.ts';
import { type CsiCall, CsiClient } from './csi-client.ts';

export interface RegisteredDriver {
  readonly endpoint: string;
  readonly version: CsiVersion;
}

/** Drivers register a moment after the agent starts, and again after their own restart. */
const PATIENCE_MS = 10_000;

export class CsiDrivers {
  readonly #clock: Clock;
  readonly #onCall: (driver: string, call: CsiCall) => void;
  readonly #drivers = new Map<string, RegisteredDriver>();
  /** By driver. */
  readonly #registered = new KeyedEmitter();

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
    this.#registered.emit(name);
  }

  /** Resolves when the driver is registered, when the wait times out, or when `signal` aborts. */
  async whenRegistered(name: string, signal?: AbortSignal): Promise<void> {
    if (this.#drivers.has(name) || signal?.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    using _subscription = this.#registered.subscribe(name, resolve);
    using _timer = this.#clock.startTimer(PATIENCE_MS, resolve);
    using _listening = onAbort(signal, resolve);
    await promise;
  }

  delete(name: string): void {
    this.#drivers.delete(name);
  }
}

/** The message about a driver that is not registered. */
export function notRegistered(name: string): string {
  return `driver name ${name} not found in the list of registered CSI drivers`;
}
