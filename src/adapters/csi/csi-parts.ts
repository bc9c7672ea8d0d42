/** What setting up volumes of storage drivers needs. */
import type { NodeProfile } from '../../core/model/node-profile.ts';
import type { ApiServer } from '../../ports/cluster/api-server.ts';
import type { Kit } from '../../ports/kit.ts';
import type { BlockMapParts } from '../volume/place/block-map.ts';
import type { CsiAttachment } from './csi-attach.ts';
import type { CsiDriverList } from './csi-driver-list.ts';
import type { CsiDrivers } from './csi-drivers.ts';
import type { CsiReadParts } from './csi-reads.ts';
import type { SelinuxReaders } from './csi-selinux.ts';

/** What is read from the API server and written to it. */
export interface CsiCluster extends CsiReadParts {
  readonly api: Pick<ApiServer, 'get' | 'patch'>;
  readonly driverObjects: Pick<CsiDriverList, 'get'>;
}

export interface CsiParts {
  readonly kit: Pick<Kit, 'clock' | 'random' | 'logger'>;
  readonly node: Pick<NodeProfile, 'rootDir' | 'nodeName' | 'selinuxEnabled'>;
  readonly cluster: CsiCluster;
  readonly drivers: CsiDrivers;
  readonly attach: CsiAttachment;
  /** What devices are mapped with. */
  readonly block: BlockMapParts;
  /** Whether the health of volumes is read; default: no. */
  readonly watchesHealth?: boolean;
  readonly selinux?: SelinuxReaders;
}
