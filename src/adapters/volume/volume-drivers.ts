/** Every kind of volume this kubelet can set up; a new kind is one more line. */

import type { ObjectReader } from '../../ports/cluster/object-reader.ts';
import type { ProjectedCredentials } from '../../ports/cluster/projected-credentials.ts';
import type { TokenSource } from '../../ports/cluster/token-source.ts';
import type { Kit } from '../../ports/kit.ts';
import type { VolumeAttachments } from '../../ports/storage/volume-attachments.ts';
import type { VolumeDriver } from '../../ports/storage/volume-driver.ts';
import { LinuxLoopDevices } from '../linux/mount/loop-devices.ts';
import { TreeMeter } from '../linux/stats/tree-meter.ts';
import { createConfigMapDriver } from './config-map.ts';
import type { ContentDriverParts } from './content-driver.ts';
import { FcConnector } from './disk/fc-connector.ts';
import { IscsiConnector } from './disk/iscsi-connector.ts';
import { Iscsiadm } from './disk/iscsiadm.ts';
import { NetworkDiskDriver } from './disk/network-disk-driver.ts';
import { ScsiDevices } from './disk/scsi-devices.ts';
import { createDownwardApiDriver } from './downward-api.ts';
import { EmptyDirDriver } from './empty-dir.ts';
import { createGitRepoDriver } from './git-repo.ts';
import { HostPathDriver } from './host-path.ts';
import { imageDriver } from './image.ts';
import { LocalDriver } from './local.ts';
import { LocalExpansion } from './local-expansion.ts';
import { NfsDriver } from './nfs.ts';
import type { ClaimApi } from './place/claim-size.ts';
import { ProjectQuotas } from './place/project-quotas.ts';
import type { SecretLookup } from './place/read-volume-secret.ts';
import { createProjectedDriver } from './projected.ts';
import { createSecretDriver } from './secret.ts';

export interface VolumeDriverParts extends Omit<ContentDriverParts, 'trees' | 'clock'> {
  readonly kit: Pick<Kit, 'clock' | 'logger'>;
  readonly objects: ObjectReader;
  readonly tokens: TokenSource;
  readonly credentials: ProjectedCredentials | undefined;
  /** For volumes that need a Secret to be set up. */
  readonly readSecret: SecretLookup;
  /** Undefined where no controller attaches volumes to the node. */
  readonly attachments: VolumeAttachments | undefined;
  /** Where the sizes of claims are kept; undefined without an API server. */
  readonly claimApi?: ClaimApi | undefined;
}

export function createVolumeDrivers(given: VolumeDriverParts): VolumeDriver[] {
  const parts = { ...given, ...given.kit, trees: new TreeMeter(given.kit.clock) };
  return [
    new EmptyDirDriver({ ...parts, quotas: createQuotas(parts) }),
    new HostPathDriver(),
    createConfigMapDriver(parts),
    createSecretDriver(parts),
    createDownwardApiDriver(parts),
    createProjectedDriver(parts),
    imageDriver,
    createGitRepoDriver(parts),
    new LocalDriver({ ...parts, loops: new LinuxLoopDevices(), expansion: createExpansion(parts) }),
    new NfsDriver(parts),
    ...createDiskDrivers(parts),
  ];
}

function createQuotas({ node }: VolumeDriverParts): ProjectQuotas | undefined {
  return node.features('LocalStorageCapacityIsolationFSQuotaMonitoring')
    ? new ProjectQuotas({ ownDirectory: `${node.rootDir}/kubelet-ts` })
    : undefined;
}

function createExpansion({ kit, node, claimApi: api }: VolumeDriverParts): LocalExpansion | undefined {
  const { nodeName } = node;
  return api && new LocalExpansion({ api, clock: kit.clock, random: Math.random, nodeName });
}

/** Disks that come over a network. */
function createDiskDrivers(parts: VolumeDriverParts): VolumeDriver[] {
  const { kit, node, readSecret } = parts;
  const { clock } = kit;
  const devices = new ScsiDevices();
  const connectors = [
    new IscsiConnector({ devices, admin: new Iscsiadm(), clock, rootDir: node.rootDir, readSecret }),
    new FcConnector({ devices }),
  ];
  const loops = new LinuxLoopDevices();
  return connectors.map((connector) => new NetworkDiskDriver({ ...parts, connector, loops }));
}
