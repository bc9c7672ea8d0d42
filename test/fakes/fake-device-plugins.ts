/**
 * Device plugins in memory: a host that tests register plugins at, and plugins
 * whose devices, preferences and failures a test sets. Allocations are kept.
 */
import { onAbort } from '../../src/base/async/on-abort.ts';
import { AgentError } from '../../src/base/errors.ts';
import type { PreferenceQuestion } from '../../src/core/devices/choose-devices.ts';
import type { Device, DeviceResponse } from '../../src/core/devices/device.ts';
import type {
  DevicePlugin,
  DevicePluginHost,
  DevicePluginOptions,
  DeviceRegistration,
} from '../../src/ports/devices/device-plugin.ts';

export class FakeDevicePlugin implements DevicePlugin {
  options: DevicePluginOptions = { preStartRequired: false, preferencesAvailable: false };
  /** Called before an answer; a rejection is the answer. */
  beforeAllocate: (ids: readonly string[]) => Promise<void> = async () => {};
  prefer: (question: PreferenceQuestion) => readonly string[] = () => [];
  readonly allocations: (readonly string[])[] = [];
  readonly questions: PreferenceQuestion[] = [];
  readonly started: (readonly string[])[] = [];
  devices: readonly Device[];
  #list: ((devices: readonly Device[]) => void) | undefined;
  #end: ((error: Error) => void) | undefined;

  constructor(devices: readonly Device[] = []) {
    this.devices = devices;
  }

  async readOptions(): Promise<DevicePluginOptions> {
    return this.options;
  }

  watch(onDevices: (devices: readonly Device[]) => void, signal: AbortSignal): Promise<void> {
    this.#list = onDevices;
    onDevices(this.devices);
    return new Promise((_resolve, reject) => {
      this.#end = reject;
      onAbort(signal, () => reject(new AgentError('cancelled', 'stopped')));
    });
  }

  /** Sends another list. */
  list(devices: readonly Device[]): void {
    this.devices = devices;
    this.#list?.(devices);
  }

  /** Its process ends. */
  die(): void {
    this.#end?.(new AgentError('unavailable', 'connection lost'));
  }

  async readPreference(question: PreferenceQuestion): Promise<readonly string[]> {
    this.questions.push(question);
    return this.prefer(question);
  }

  async allocate(ids: readonly string[]): Promise<DeviceResponse> {
    await this.beforeAllocate(ids);
    this.allocations.push(ids);
    return toFakeResponse(ids.join(','));
  }

  async preStart(ids: readonly string[]): Promise<void> {
    this.started.push(ids);
  }

  async close(): Promise<void> {
    this.die();
  }
}

/** The answer a fake plugin gives: a variable with the ids. */
export function toFakeResponse(text: string): DeviceResponse {
  const grant = {
    env: [{ name: 'DEVICES', value: text }],
    mounts: [],
    devices: [],
    annotations: {},
    cdiDevices: [],
  };
  return { encoded: Buffer.from(text).toString('base64'), grant };
}

export class FakeDevicePluginHost implements DevicePluginHost {
  readonly plugins = new Map<string, FakeDevicePlugin>();
  #register: ((registration: DeviceRegistration) => Promise<void>) | undefined;

  async connect(endpoint: string): Promise<DevicePlugin> {
    const plugin = this.plugins.get(endpoint);
    if (plugin === undefined) throw new AgentError('not-found', `no plugin at ${endpoint}`);
    return plugin;
  }

  decodeResponse(encoded: string): DeviceResponse | undefined {
    return toFakeResponse(Buffer.from(encoded, 'base64').toString());
  }

  listen(register: (registration: DeviceRegistration) => Promise<void>, stop: AbortSignal): Promise<void> {
    this.#register = register;
    return new Promise((resolve) => {
      onAbort(stop, resolve);
    });
  }

  /** A plugin registers, as over the socket. */
  async register(resource: string, plugin: FakeDevicePlugin, version = 'v1beta1'): Promise<void> {
    const endpoint = `${resource}.sock`;
    this.plugins.set(endpoint, plugin);
    await this.#register?.({ version, endpoint, resource });
  }
}
