/**
 * What is true of the node as a whole, in one place: admission, the node
 * status and health read it. Each key has one owner, who claims it once and
 * from then on answers for it; a key without an owner has its neutral value.
 * An owner answers at the moment of the question, because some answers are a
 * matter of time (a runtime that has been silent for too long).
 */
import { Emitter } from '../../base/async/emitter.ts';
import type {
  DeviceResource,
  PressureFacts,
  ShutdownGuard,
} from '../../core/node-status/node-status-facts.ts';
import type { RuntimeStatus } from '../../ports/runtime/container-runtime.ts';
import type { RuntimeAbsence } from '../runtime/runtime-monitor.ts';

export interface NodeStateValues {
  /** What the node is short of. */
  readonly pressures: PressureFacts;
  /** Why no pod is taken any more; undefined while the node is not shutting down. */
  readonly shutdown: string | undefined;
  /** Whether a shutdown waits for pods; undefined where it is not to. */
  readonly shutdownGuard: ShutdownGuard | undefined;
  /** Of device plugins; those that are gone with 0. */
  readonly devices: readonly DeviceResource[];
  readonly runtime: RuntimeState;
  /** Why pods cannot get a network; undefined when they can. */
  readonly network: string | undefined;
  readonly storage: StorageState;
}

export interface RuntimeState {
  /** Why nothing can be run. */
  readonly problem: string | undefined;
  /** Why it is not known what runs. */
  readonly listingProblem: string | undefined;
  /** Set while it does not answer, long before that makes the node unready. */
  readonly absence: RuntimeAbsence | undefined;
  /** Undefined until the runtime has answered once. */
  readonly status: RuntimeStatus | undefined;
}

export interface StorageState {
  /** Why volumes of storage drivers are unavailable. */
  readonly problem: string | undefined;
  /** Undefined until the volumes of an earlier agent are known. */
  readonly volumesInUse: readonly string[] | undefined;
}

/** What the owner of a key holds. */
export interface NodeStateClaim {
  /** The answer may be another one now. */
  changed(): void;
}

/** What everyone else holds. */
export interface NodeStateView {
  get<K extends keyof NodeStateValues>(key: K): NodeStateValues[K];
  /** Calls `listener` when the value of a key may have changed; dispose the result to stop. */
  subscribe(listener: (key: keyof NodeStateValues) => void): Disposable;
}

const NEUTRAL: NodeStateValues = {
  pressures: { memory: false, disk: false, pid: false },
  shutdown: undefined,
  shutdownGuard: undefined,
  devices: [],
  runtime: { problem: undefined, listingProblem: undefined, absence: undefined, status: undefined },
  network: undefined,
  storage: { problem: undefined, volumesInUse: undefined },
};

export class NodeState implements NodeStateView {
  readonly #owners = new Map<keyof NodeStateValues, () => unknown>();
  readonly #changes = new Emitter<[key: keyof NodeStateValues]>();

  /** `read` answers from now on; throws when the key has an owner. */
  claim<K extends keyof NodeStateValues>(key: K, read: () => NodeStateValues[K]): NodeStateClaim {
    if (this.#owners.has(key)) throw new Error(`the node state "${key}" has an owner already`);
    this.#owners.set(key, read);
    return { changed: () => this.#changes.emit(key) };
  }

  get<K extends keyof NodeStateValues>(key: K): NodeStateValues[K] {
    const read = this.#owners.get(key) as (() => NodeStateValues[K]) | undefined;
    return read === undefined ? NEUTRAL[key] : read();
  }

  subscribe(listener: (key: keyof NodeStateValues) => void): Disposable {
    return this.#changes.subscribe(listener);
  }
}
