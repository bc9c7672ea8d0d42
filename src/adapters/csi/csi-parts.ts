/** What setting up volumes of storage drivers needs. */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import type { ApiServer } from '../../ports/api-server.ts';
import type { BlockMapParts } from '../volume/place/block-map.ts';
import type { CsiAttachParts } from './csi-attach.ts';
import type { CsiDriverList } from './csi-driver-list.ts';
import type { CsiDrivers } from './csi-drivers.ts';
import type { CsiGaugeParts } from './csi-gauge.ts';
import type { CsiSelinuxParts } from './csi-selinux.ts';

export interface CsiParts extends CsiAttachParts, BlockMapParts, CsiGaugeParts, CsiSelinuxParts {
  readonly api: Pick<ApiServer, 'get' | 'patch'>;
  readonly node: Pick<NodeProfile, 'rootDir' | 'nodeName' | 'selinuxEnabled'>;
  readonly drivers: CsiDrivers;
  readonly driverObjects: Pick<CsiDriverList, 'get'>;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
}
