/** What the configuration and the machine say for the node status, once at the start. */
import type { MachineFacts } from '../../adapters/linux/machine/machine-facts.ts';
import type { SystemInfo } from '../../adapters/linux/machine/system-info.ts';
import type { NodeFactSettings } from '../../agent/node/node-fact-reader.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';
import { parseNodeIPs } from '../config/validate/validate-flags.ts';
import { readDeclaredFeatures } from './resource-facts.ts';

export interface DescribedNode {
  readonly profile: Pick<NodeProfile, 'nodeName'>;
  readonly machine: MachineFacts;
  readonly system: SystemInfo;
}

export function toNodeFactSettings(
  loaded: LoadedConfiguration,
  { profile, machine, system }: DescribedNode,
): Omit<NodeFactSettings, 'resources'> {
  const { config, flags, version } = loaded;
  const requested = parseNodeIPs(flags.nodeIP).addresses;
  return {
    nodeName: profile.nodeName,
    system: { ...system, swapBytes: machine.swapBytes },
    kubeletVersion: version,
    kubeletPort: config.port,
    maxImages: config.nodeStatusMaxImages,
    canCapCpu: machine.canCapCpu,
    declaredFeatures: readDeclaredFeatures(loaded),
    addresses: { requested, externalCloud: flags.cloudProvider === 'external' },
  };
}
