/**
 * Storage drivers on a node of a cluster: the drivers that register, what the
 * API says about them, their volumes, and the volumes that are attached.
 */
import { CsiDriverList } from '../adapters/csi/csi-driver-list.ts';
import { CsiDrivers } from '../adapters/csi/csi-drivers.ts';
import { ApiCsiNodeRecord } from '../adapters/csi/csi-node-record.ts';
import { uniqueVolumeName } from '../adapters/csi/csi-paths.ts';
import { CsiRegistration } from '../adapters/csi/csi-registration.ts';
import { findPodVolumes } from '../adapters/csi/csi-staging.ts';
import { CsiVolumeDriver } from '../adapters/csi/csi-volume-driver.ts';
import { NodeVolumes } from '../agent/node-volumes.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { NodeFacts } from '../core/spec/node-facts.ts';
import type { ClusterConnection } from './cluster.ts';

export interface CsiComposition {
  readonly driver: CsiVolumeDriver;
  readonly registration: CsiRegistration;
  readonly volumes: NodeVolumes;
  readonly record: ApiCsiNodeRecord;
  /** Until `stop` aborts. */
  run(stop: AbortSignal): Promise<void>;
}

export interface CsiCompositionParts {
  readonly connection: Pick<ClusterConnection, 'client' | 'own' | 'tokens'>;
  readonly node: NodeFacts;
  /** Whether somebody else attaches volumes to the node. */
  readonly controllerAttaches: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function composeCsi(parts: CsiCompositionParts): CsiComposition {
  const { connection, node, clock, logger } = parts;
  const { api } = connection.client;
  const drivers = new CsiDrivers(clock);
  const driverObjects = new CsiDriverList(api);
  const volumes = new NodeVolumes({ own: connection.own, clock });
  const driver = new CsiVolumeDriver({
    ...parts,
    api,
    tokens: connection.tokens,
    drivers,
    driverObjects,
    attachments: volumes,
    random: Math.random,
  });
  const record = new ApiCsiNodeRecord({
    api,
    clock,
    logger,
    nodeName: node.nodeName,
    onInitialized: () => volumes.onChange(),
  });
  const registration = new CsiRegistration({
    drivers,
    record,
    onRegistered: (name) => {
      const failed = (error: unknown): void =>
        logger.error('cannot look for volumes that are staged for nobody', error, { driver: name });
      driver.releaseUnused(name).catch(failed);
    },
  });
  return {
    driver,
    registration,
    volumes,
    record,
    run: async (stop) => {
      await Promise.all([adoptVolumes(node, volumes), driverObjects.run(stop), record.run(stop)]);
    },
  };
}

/** What an earlier agent left on disk. */
async function adoptVolumes({ rootDir }: NodeFacts, volumes: NodeVolumes): Promise<void> {
  const found = await findPodVolumes(rootDir);
  volumes.adopt(
    found.map(({ podUid, data }) => [uniqueVolumeName(data.driverName, data.volumeHandle), podUid]),
  );
}
