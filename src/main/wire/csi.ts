/**
 * Storage drivers on a node of a cluster: the drivers that register, what the
 * API says about them, their volumes, and the volumes that are attached.
 */
import { CsiAllocatable } from '../../adapters/csi/csi-allocatable.ts';
import { CsiDriverList } from '../../adapters/csi/csi-driver-list.ts';
import { CsiDrivers } from '../../adapters/csi/csi-drivers.ts';
import { ApiCsiNodeRecord } from '../../adapters/csi/csi-node-record.ts';
import { CsiRegistration } from '../../adapters/csi/csi-registration.ts';
import { findPodDevices, findPodVolumes } from '../../adapters/csi/csi-staging.ts';
import { CsiVolumeDriver } from '../../adapters/csi/csi-volume-driver.ts';
import { uniqueNameOf } from '../../adapters/csi/volume-data.ts';
import { LinuxLoopDevices } from '../../adapters/linux/mount/loop-devices.ts';
import { LinuxMounter } from '../../adapters/linux/mount/mounter.ts';
import { DiskRecords } from '../../adapters/volume/disk/disk-record.ts';
import { findFlexUses } from '../../adapters/volume/flex/flex-drivers.ts';
import type { NodeState } from '../../agent/node/node-state.ts';
import { NodeVolumes } from '../../agent/node/node-volumes.ts';
import type { OwnNode } from '../../agent/node/own-node.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { isNodeReady } from '../../core/node-status/node-status.ts';
import type { Meters } from '../metrics/meters.ts';
import type { ClusterConnection } from './cluster.ts';
import type { Foundation } from './foundation.ts';
import type { NodeWiring } from './node.ts';

export interface CsiWiring {
  readonly driver: CsiVolumeDriver;
  readonly registration: CsiRegistration;
  readonly volumes: NodeVolumes;
  /** Until `stop` aborts. */
  run(stop: AbortSignal): Promise<void>;
}

/** Undefined standalone. */
export function wireCsi(
  { loaded, clock, logger }: Foundation,
  { profile: node, state }: NodeWiring,
  connection: ClusterConnection | undefined,
  { calls }: Pick<Meters, 'calls'>,
): CsiWiring | undefined {
  if (connection === undefined) return undefined;
  const { api } = connection.client;
  const drivers = new CsiDrivers(clock, (driver, call) => calls.csi(driver, call));
  const driverObjects = new CsiDriverList(api);
  const volumes = new NodeVolumes({ own: connection.own, clock });
  const record = new ApiCsiNodeRecord({
    api,
    clock,
    logger,
    nodeName: node.nodeName,
    whenNodeExists: (stop) => connection.own.whenExists(stop),
    onInitialized: () => volumes.noteChange(),
  });
  claimStorageState(state, connection.own, record, volumes);
  const allocatable = new CsiAllocatable({ drivers, driverObjects, record, clock, logger });
  const driver = new CsiVolumeDriver({
    kit: { clock, logger, random: Math.random },
    node,
    cluster: { api, tokens: connection.tokens, driverObjects },
    drivers,
    attach: {
      attachments: volumes,
      controllerAttaches: loaded.config.enableControllerAttachDetach,
      onNodeFull: (name) => void allocatable.refresh(name),
    },
    block: { mounter: new LinuxMounter(), loops: new LinuxLoopDevices() },
    watchesHealth: node.features('CSIVolumeHealth'),
  });
  const registration = new CsiRegistration({
    drivers,
    record,
    onRegistered: (name) => {
      const failed = (error: unknown): void =>
        logger.error('cannot look for staged volumes that no pod uses', error, { driver: name });
      driver.releaseUnused(name).catch(failed);
      allocatable.look();
    },
  });
  return {
    driver,
    registration,
    volumes,
    run: async (stop) => {
      const loops = [driverObjects, record, allocatable].map((loop) => loop.run(stop));
      await Promise.all([adoptVolumes(node, volumes), ...loops]);
    },
  };
}

/** Answers for storage in the node state. */
function claimStorageState(
  state: Pick<NodeState, 'claim'>,
  own: Pick<OwnNode, 'current'>,
  record: ApiCsiNodeRecord,
  volumes: NodeVolumes,
): void {
  const storage = state.claim('storage', () => {
    const wasReady = own.current !== undefined && isNodeReady(own.current);
    return { problem: record.problemFor(wasReady), volumesInUse: volumes.inUse() };
  });
  volumes.subscribe(() => storage.changed());
}

/** What an earlier agent left on disk. */
async function adoptVolumes({ rootDir }: NodeProfile, volumes: NodeVolumes): Promise<void> {
  const found = [...(await findPodVolumes(rootDir)), ...(await findPodDevices(rootDir))];
  const disks = ['kubernetes.io/iscsi', 'kubernetes.io/fc'].map((plugin) =>
    new DiskRecords(rootDir, plugin).all(),
  );
  const uses = (await Promise.all(disks)).flat();
  volumes.adopt([
    ...found.map(({ podUid, data }) => [uniqueNameOf(data), podUid] as const),
    ...uses.map(({ podUid, record }) => [record.name, podUid] as const),
    ...(await findFlexUses(rootDir)),
  ]);
}
