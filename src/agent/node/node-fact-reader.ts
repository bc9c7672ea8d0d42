/**
 * Gathers what a node status is computed from. What does not change comes
 * with the settings, what is known elsewhere is asked for at the moment, and
 * the runtime and the resolver are asked with little patience: a runtime that
 * hangs must not keep the node from saying so.
 */
import { BoundedWaitCache } from '../../base/async/bounded-wait-cache.ts';
import type {
  AddressFacts,
  ImageFacts,
  NodeStatusFacts,
  ReadinessProblems,
  ResourceFacts,
} from '../../core/node-status/node-status-facts.ts';
import type { Kit } from '../../ports/kit.ts';
import type { RuntimeReader } from '../../ports/runtime/container-runtime.ts';
import type { ImageService } from '../../ports/runtime/image-service.ts';
import type { NodeStateView } from './node-state.ts';

const IMAGES_MAX_AGE_MS = 30_000;
const PATIENCE_MS = 1_000;

/** What is found out once at start. */
export interface NodeFactSettings
  extends Pick<
    NodeStatusFacts,
    'nodeName' | 'system' | 'kubeletVersion' | 'kubeletPort' | 'maxImages' | 'canCapCpu' | 'declaredFeatures'
  > {
  readonly addresses: Pick<AddressFacts, 'requested' | 'externalCloud'>;
  readonly resources: Omit<ResourceFacts, 'devices'>;
}

export interface NodeFactParts extends Pick<Kit, 'clock' | 'logger'> {
  readonly reader: Pick<RuntimeReader, 'version'>;
  readonly images: Pick<ImageService, 'listImages'>;
  /** What is true of the node now: pressures, problems, devices, volumes in use. */
  readonly state: Pick<NodeStateView, 'get'>;
  /** Which addresses the machine has now. */
  readonly readAddresses: (signal: AbortSignal) => Promise<Pick<AddressFacts, 'ips' | 'problem'>>;
}

export class NodeFactReader {
  readonly #parts: NodeFactParts;
  readonly #settings: NodeFactSettings;
  readonly #images: BoundedWaitCache<readonly ImageFacts[]>;
  readonly #runtime: BoundedWaitCache<NonNullable<NodeStatusFacts['runtime']>>;
  readonly #addresses: BoundedWaitCache<Pick<AddressFacts, 'ips' | 'problem'>>;
  #runtimeName: string | undefined;

  constructor(parts: NodeFactParts, settings: NodeFactSettings) {
    this.#parts = parts;
    this.#settings = settings;
    const { images, readAddresses } = parts;
    this.#images = this.#slowly('images', IMAGES_MAX_AGE_MS, (signal) =>
      images.listImages({ signal, label: 'node status' }),
    );
    this.#runtime = this.#slowly('runtime version', IMAGES_MAX_AGE_MS, (signal) => this.#readRuntime(signal));
    this.#addresses = this.#slowly('addresses', 0, readAddresses);
  }

  /** Never rejects; what is not known is missing in the answer. */
  async read(stop: AbortSignal): Promise<NodeStatusFacts> {
    const [images, runtime, found] = await Promise.all([
      this.#images.get(stop),
      this.#runtime.get(stop),
      this.#addresses.get(stop),
    ]);
    const { state } = this.#parts;
    const { status } = state.get('runtime');
    const { addresses, resources, ...settings } = this.#settings;
    const unknown = {
      ips: [],
      problem: `can't get ip address of node ${settings.nodeName}. error: no answer yet`,
    };
    return {
      ...settings,
      addresses: { ...addresses, ...(found ?? unknown) },
      resources: { ...resources, devices: state.get('devices') },
      runtime,
      images,
      runtimeHandlers: status?.handlers,
      runtimeFeatures: status?.features,
      pressures: state.get('pressures'),
      problems: this.readProblems(),
      shutdownGuard: state.get('shutdownGuard'),
      volumesInUse: state.get('storage').volumesInUse,
    };
  }

  /** Why pods cannot be run now. */
  readProblems(): ReadinessProblems {
    const { state } = this.#parts;
    const { problem, listingProblem } = state.get('runtime');
    return {
      runtime: [problem, listingProblem].filter((found) => found !== undefined),
      network: state.get('network'),
      storage: state.get('storage').problem,
      shutdown: state.get('shutdown'),
    };
  }

  /** A runtime that was there and does not answer has no version. */
  async #readRuntime(signal: AbortSignal): Promise<NonNullable<NodeStatusFacts['runtime']>> {
    try {
      const { runtimeName, runtimeVersion } = await this.#parts.reader.version({
        signal,
        label: 'node status',
      });
      this.#runtimeName = runtimeName;
      return { name: runtimeName, version: runtimeVersion };
    } catch (error) {
      if (this.#runtimeName === undefined) throw error;
      return { name: this.#runtimeName, version: undefined };
    }
  }

  #slowly<T>(what: string, maxAgeMs: number, read: (stop: AbortSignal) => Promise<T>): BoundedWaitCache<T> {
    const { clock, logger } = this.#parts;
    const onError = (error: unknown): void => logger.error('cannot read node fact', error, { what });
    return new BoundedWaitCache({ clock, maxAgeMs, patienceMs: PATIENCE_MS, read, onError });
  }
}
