/**
 * Device plugins: programs that offer devices of one extended resource. They
 * register at a socket of the agent and then serve one of their own. Calls
 * reject with AgentError and have limits in time and size.
 */
import type { PreferenceQuestion } from '../../core/devices/choose-devices.ts';
import type { Device, DeviceResponse } from '../../core/devices/device.ts';

export interface DevicePluginOptions {
  /** It wants to be called before each start of a container. */
  readonly preStartRequired: boolean;
  /** It can say which devices go well together. */
  readonly preferencesAvailable: boolean;
}

/** A connection to one plugin; nothing is sent before the first call. */
export interface DevicePlugin {
  readOptions(signal: AbortSignal): Promise<DevicePluginOptions>;
  /** Calls `onDevices` with all devices at every change; resolves or rejects when the plugin ends the stream. */
  watch(onDevices: (devices: readonly Device[]) => void, signal: AbortSignal): Promise<void>;
  /** The ids it would give; what it says may be anything. */
  readPreference(question: PreferenceQuestion, signal?: AbortSignal): Promise<readonly string[]>;
  allocate(ids: readonly string[], signal?: AbortSignal): Promise<DeviceResponse>;
  preStart(ids: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Ends every call. Never rejects. */
  close(): Promise<void>;
}

/** What a plugin says when it registers. */
export interface DeviceRegistration {
  readonly version: string;
  /** Where it serves: a name in the directory of the registration socket, or an absolute path. */
  readonly endpoint: string;
  readonly resource: string;
}

export interface DevicePluginHost {
  /** Connects to a socket. Rejects with AgentError when there is none at that place. */
  connect(endpoint: string): Promise<DevicePlugin>;
  /** An answer as the checkpoint keeps it; undefined when it cannot be read. */
  decodeResponse(encoded: string): DeviceResponse | undefined;
  /**
   * Accepts registrations until `stop` aborts; rejects with AgentError when it
   * cannot. What `register` rejects with is the answer to the plugin.
   */
  listen(register: (registration: DeviceRegistration) => Promise<void>, stop: AbortSignal): Promise<void>;
}
