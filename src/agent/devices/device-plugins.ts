/**
 * Keeps the connections to device plugins: takes registrations from both
 * doors (its own socket and the plugin registry), follows the list of devices
 * of each plugin, and notices when one goes. A plugin that fails or talks
 * nonsense loses its own resource; the others do not notice.
 */
import { AgentError, errorText } from '../../base/errors.ts';
import { quote } from '../../base/text/quote.ts';
import { isDeviceResourceName } from '../../core/devices/device-requests.ts';
import type {
  DevicePlugin,
  DevicePluginHost,
  DeviceRegistration,
} from '../../ports/devices/device-plugin.ts';
import type { Kit } from '../../ports/kit.ts';
import type { PluginAnnouncement, PluginHandler } from '../../ports/storage/plugin-handler.ts';
import type { DeviceResources, ServingPlugin } from './device-resources.ts';

const VERSION = 'v1beta1';

export interface DevicePluginsParts extends Pick<Kit, 'logger' | 'meter'> {
  readonly host: DevicePluginHost;
  readonly resources: DeviceResources;
}

export class DevicePlugins implements PluginHandler {
  readonly name = 'device plugins';
  readonly #parts: DevicePluginsParts;
  readonly #ended = new AbortController();
  readonly #watches = new Set<Promise<void>>();
  #problem: string | undefined;

  constructor(parts: DevicePluginsParts) {
    this.#parts = parts;
  }

  /** Why plugins cannot register; undefined while they can. */
  get problem(): string | undefined {
    return this.#problem;
  }

  async run(stop: AbortSignal): Promise<void> {
    const { host, logger } = this.#parts;
    try {
      await host.listen((registration) => this.#accept(registration), stop);
    } catch (error) {
      if (stop.aborted) return;
      // The agent runs on without new plugins; the health check says so.
      this.#problem = errorText(error);
      logger.error('device plugins cannot register', error);
    }
  }

  close(): void {
    this.#ended.abort(new Error('the agent stops'));
    this.#parts.resources.close();
  }

  async flush(): Promise<void> {
    await Promise.all(this.#watches);
  }

  /** Of the plugin registry. */
  validate({ name, supportedVersions }: PluginAnnouncement): string | undefined {
    if (!supportedVersions.includes(VERSION))
      return `manager version, ${VERSION}, is not among plugin supported versions [${supportedVersions.join(' ')}]`;
    if (!isDeviceResourceName(name))
      return `invalid name of device plugin socket: the ResourceName ${quote(name)} is invalid`;
    return undefined;
  }

  /** Of the plugin registry. */
  async register({ name, endpoint }: PluginAnnouncement): Promise<void> {
    await this.#connect(name, endpoint);
  }

  /**
   * Of the plugin registry: the end of the stream is what counts, and follows
   * at once. The plugin that serves by now may be another one, at another place.
   */
  async deregister({ name, endpoint }: PluginAnnouncement): Promise<void> {
    const serving = this.#parts.resources.serving(name);
    if (serving?.endpoint === endpoint) await serving.plugin.close();
  }

  /** Of our own socket. */
  async #accept({ version, resource, endpoint }: DeviceRegistration): Promise<void> {
    if (version !== VERSION)
      throw new AgentError(
        'invalid-argument',
        `requested API version ${quote(version)} is not supported by kubelet. Supported version is ${quote(VERSION)}`,
      );
    if (!isDeviceResourceName(resource))
      throw new AgentError('invalid-argument', `the ResourceName ${quote(resource)} is invalid`);
    // Not before: the name becomes a label of a metric.
    this.#parts.meter.deviceRegistered(resource);
    await this.#connect(resource, endpoint);
  }

  /** The plugin has to serve already: its options are asked for before it counts as registered. */
  async #connect(resource: string, endpoint: string): Promise<void> {
    const { host, resources, logger } = this.#parts;
    const { signal } = this.#ended;
    signal.throwIfAborted();
    const plugin = await host.connect(endpoint);
    let serving: ServingPlugin;
    try {
      serving = { plugin, endpoint, options: await plugin.readOptions(signal) };
    } catch (error) {
      await plugin.close();
      throw new AgentError('unavailable', `failed to get device plugin options: ${errorText(error)}`, {
        cause: error,
      });
    }
    logger.info('device plugin registered', { resource, endpoint });
    const before = resources.serve(resource, serving);
    void before?.plugin.close();
    const watch = this.#follow(resource, serving).finally(() => this.#watches.delete(watch));
    this.#watches.add(watch);
  }

  async #follow(resource: string, serving: ServingPlugin): Promise<void> {
    const { resources, logger } = this.#parts;
    const { plugin } = serving;
    const why = await this.#watch(plugin, (devices) => resources.list(resource, serving, devices));
    await plugin.close();
    // The plugins are still there for the next life of the agent.
    if (this.#ended.signal.aborted) return;
    const isCurrent = resources.serving(resource) === serving;
    resources.lose(resource, serving);
    if (isCurrent) logger.warn('device plugin gone, its devices count as unhealthy', { resource, why });
  }

  async #watch(plugin: DevicePlugin, onDevices: Parameters<DevicePlugin['watch']>[0]): Promise<string> {
    try {
      await plugin.watch(onDevices, this.#ended.signal);
      return 'it ended its list of devices';
    } catch (error) {
      return errorText(error);
    }
  }
}
