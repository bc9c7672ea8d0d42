/**
 * Gathers what a node status is computed from. What does not change comes
 * with the settings, what is known elsewhere is asked for at the moment, and
 * the runtime and the resolver are asked with little patience: a runtime that
 * hangs must not keep the node from saying so.
 */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import type {
  AddressFacts,
  DeviceResource,
  ImageFacts,
  NodeStatusFacts,
  PressureFacts,
  ReadinessProblems,
  ResourceFacts,
} from '../../core/node-status/node-status-facts.ts';
import type { RuntimeReader } from '../../ports/container-runtime.ts';
import type { ImageService } from '../../ports/image-service.ts';
import type { RuntimeMonitor } from '../runtime/runtime-monitor.ts';
import { SlowReading } from './slow-reading.ts';

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

export interface NodeFactParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly reader: Pick<RuntimeReader, 'version'>;
  readonly images: Pick<ImageService, 'listImages'>;
  readonly monitor: Pick<RuntimeMonitor, 'runtimeProblem' | 'networkProblem' | 'status'>;
  /** Which addresses the machine has now. */
  readonly readAddresses: (signal: AbortSignal) => Promise<Pick<AddressFacts, 'ips' | 'problem'>>;
  /** Of the eviction loop; no pressure without it. */
  readonly readPressures?: () => PressureFacts;
  /** Besides those of the runtime itself: a dead observer, storage, shutdown. */
  readonly readProblems?: () => ReadinessProblems;
  /** Undefined until the volumes of an earlier agent are known. */
  readonly readVolumesInUse?: () => readonly string[] | undefined;
  readonly readDevices?: () => readonly DeviceResource[];
}

const NO_PRESSURE: PressureFacts = { memory: false, disk: false, pid: false };

export class NodeFactReader {
  readonly #parts: NodeFactParts;
  readonly #settings: NodeFactSettings;
  readonly #images: SlowReading<readonly ImageFacts[]>;
  readonly #runtime: SlowReading<NonNullable<NodeStatusFacts['runtime']>>;
  readonly #addresses: SlowReading<Pick<AddressFacts, 'ips' | 'problem'>>;
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
    const { monitor, readPressures, readVolumesInUse, readDevices } = this.#parts;
    const { addresses, resources, ...settings } = this.#settings;
    const unknown = {
      ips: [],
      problem: `can't get ip address of node ${settings.nodeName}. error: no answer yet`,
    };
    return {
      ...settings,
      addresses: { ...addresses, ...(found ?? unknown) },
      resources: { ...resources, devices: readDevices?.() ?? [] },
      runtime,
      images,
      runtimeHandlers: monitor.status?.handlers,
      runtimeFeatures: monitor.status?.features,
      pressures: readPressures?.() ?? NO_PRESSURE,
      problems: this.readProblems(),
      volumesInUse: readVolumesInUse?.(),
    };
  }

  /** Why pods cannot be run now. */
  readProblems(): ReadinessProblems {
    const { monitor, readProblems } = this.#parts;
    const { runtime = [], ...others } = readProblems?.() ?? {};
    const { runtimeProblem } = monitor;
    return {
      ...others,
      runtime: [...(runtimeProblem === undefined ? [] : [runtimeProblem]), ...runtime],
      network: monitor.status === undefined ? 'network state unknown' : monitor.networkProblem,
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

  #slowly<T>(what: string, maxAgeMs: number, read: (stop: AbortSignal) => Promise<T>): SlowReading<T> {
    const { clock, logger } = this.#parts;
    const onError = (error: unknown): void =>
      logger.error('cannot read a fact for the node status', error, { what });
    return new SlowReading({ clock, maxAgeMs, patienceMs: PATIENCE_MS, read, onError });
  }
}
