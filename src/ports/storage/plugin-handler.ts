/**
 * What the agent does with plugins of one type (storage drivers, device
 * plugins, drivers of dynamic resources) that announce themselves by a socket
 * in the registry directory. Calls for one socket never overlap.
 */

export const PLUGIN_TYPES = ['CSIPlugin', 'DevicePlugin', 'DRAPlugin'] as const;
export type PluginType = (typeof PLUGIN_TYPES)[number];

/** What a plugin says about itself. */
export interface PluginAnnouncement {
  readonly name: string;
  /** The socket of its own service. */
  readonly endpoint: string;
  readonly supportedVersions: readonly string[];
}

export interface PluginHandler {
  /** Why the plugin is refused, in the words sent to it; undefined when it is accepted. */
  validate(plugin: PluginAnnouncement): string | undefined;
  /** Makes the plugin usable; rejects with AgentError, after which nothing of it is left. */
  register(plugin: PluginAnnouncement, signal: AbortSignal): Promise<void>;
  /** The plugin is gone or was replaced; rejects with AgentError. */
  deregister(plugin: PluginAnnouncement): Promise<void>;
}

/** Types without an entry are refused: the agent cannot use such a plugin. */
export type PluginHandlers = Readonly<Partial<Record<PluginType, PluginHandler | undefined>>>;
