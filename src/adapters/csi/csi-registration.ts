/**
 * Registers storage drivers that announce themselves: checks their version,
 * asks for their node info and records it in the API. A driver that cannot be
 * recorded is not used.
 */
import { AgentError } from '../../base/errors.ts';
import type { CsiNodeInfo } from '../../core/volume/csi/csi-node.ts';
import { chooseCsiVersion, compareVersions } from '../../core/volume/csi/csi-version.ts';
import type { PluginAnnouncement, PluginHandler } from '../../ports/storage/plugin-handler.ts';
import type { CsiDrivers } from './csi-drivers.ts';

/** Where drivers of the node are recorded. */
export interface CsiNodeRecord {
  add(info: CsiNodeInfo, signal: AbortSignal): Promise<void>;
  remove(driver: string): Promise<void>;
}

export interface CsiRegistrationParts {
  readonly drivers: CsiDrivers;
  readonly record: CsiNodeRecord;
  /** The driver can be used from now on. */
  readonly onRegistered: (driver: string) => void;
}

export class CsiRegistration implements PluginHandler {
  readonly #parts: CsiRegistrationParts;

  constructor(parts: CsiRegistrationParts) {
    this.#parts = parts;
  }

  validate({ name, endpoint, supportedVersions }: PluginAnnouncement): string | undefined {
    const failed = `kubernetes.io/csi: validation failed for CSI Driver ${name} at endpoint ${endpoint}`;
    if (supportedVersions.length === 0)
      return `${failed}: CSI driver reported an empty list for supported versions`;
    const version = chooseCsiVersion(supportedVersions);
    if (version === undefined)
      return `${failed}: None of the CSI versions reported by this driver are supported`;
    const other = this.#parts.drivers.get(name);
    if (other !== undefined && compareVersions(other.version, version) >= 0)
      return `${failed}: Another driver with the same name is already registered with a higher supported version: "${other.version.text}"`;
    return undefined;
  }

  async register(plugin: PluginAnnouncement, signal: AbortSignal): Promise<void> {
    const { drivers, record, onRegistered } = this.#parts;
    const { name, endpoint, supportedVersions } = plugin;
    const version = chooseCsiVersion(supportedVersions);
    if (version === undefined) throw new AgentError('invalid-argument', 'no supported CSI version');
    drivers.put(name, { endpoint, version });
    try {
      const facts = await drivers.client(name)?.nodeInfo(signal);
      if (facts !== undefined) await record.add({ driver: name, ...facts }, signal);
    } catch (error) {
      drivers.delete(name);
      throw error;
    }
    onRegistered(name);
  }

  async deregister({ name, endpoint }: PluginAnnouncement): Promise<void> {
    const { drivers, record } = this.#parts;
    // A newer driver of the same name may have registered under another socket.
    if (drivers.get(name)?.endpoint !== endpoint) return;
    drivers.delete(name);
    await record.remove(name);
  }
}
