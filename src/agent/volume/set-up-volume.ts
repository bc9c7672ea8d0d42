/**
 * Sets one volume of a pod up: the checks that hold for every persistent
 * volume, then its driver. What is set up goes into the pod's state under
 * every name the pod has for it.
 */

import { quote } from '../../base/text/quote.ts';
import type { StringMap } from '../../core/api/meta.ts';
import type { PodUid } from '../../core/model/ids.ts';
import { parsePodUid } from '../../core/model/ids.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { podsDirectory, volumeDevicePath, volumeDirectory } from '../../core/model/pod-paths.ts';
import { matchesNodeSelector } from '../../core/node/node-affinity.ts';
import { findOddMountOption } from '../../core/volume/mount-options.ts';
import {
  isForOnePod,
  type PersistentSource,
  type ResolvedVolume,
  toMountOptions,
  toVolumeGroup,
} from '../../core/volume/resolved-volume.ts';
import { type FailedVolume, toUnsupported, type VolumeProblem } from '../../core/volume/volume-source.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';
import { attemptStage } from '../../ports/storage/attempt-stage.ts';
import type { VolumeDriver, VolumeDriverFamily, VolumeRequest } from '../../ports/storage/volume-driver.ts';
import type { PodVolumes, VolumeState } from './pod-volumes.ts';
import type { VolumeGroup } from './resolve-volumes.ts';

export interface SetUpParts {
  readonly drivers: readonly VolumeDriver[];
  readonly flexDrivers: VolumeDriverFamily | undefined;
  readonly files: HostFiles;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly node: Pick<NodeProfile, 'rootDir' | 'nodeName'>;
  readonly readNodeLabels: () => StringMap;
  /** Of all pods: one volume may be for one pod only. */
  readonly pods: ReadonlyMap<PodUid, PodVolumes>;
}

export interface SetUpResult {
  readonly problem?: FailedVolume;
  readonly refreshAtMs?: number;
}

/** Never rejects because of the host: what fails is the volume's problem. */
export async function setUpVolume(
  parts: SetUpParts,
  uid: PodUid,
  state: PodVolumes,
  group: VolumeGroup,
  signal: AbortSignal,
): Promise<SetUpResult> {
  const [{ volume, innerName, source, persistent }] = group;
  const fail = ({ stage, message, isOverLimit }: VolumeProblem): SetUpResult => ({
    problem: {
      volume: volume.name,
      innerName,
      stage,
      message,
      isOverLimit,
    },
  });
  const driver = await findDriver(parts, group[0]);
  if (driver === undefined) return fail(toUnsupported(innerName, source));
  const isBlock = persistent?.mode === 'Block';
  if (persistent !== undefined) {
    const problem = await checkPersistent(parts, uid, state, driver, persistent);
    if (problem !== undefined) return fail(problem);
  }
  const place = isBlock ? volumeDevicePath : volumeDirectory;
  const { pod } = state;
  const request: VolumeRequest = {
    pod,
    volume,
    podUid: uid,
    name: innerName,
    directory: place(parts.node.rootDir, uid, driver.plugin, innerName),
    persistent,
    isRemount: state.has(volume.name),
    signal,
    warn: (reason, message) => parts.events.record({ about: { pod }, type: 'Warning', reason, message }),
    inform: (reason, message) => parts.events.record({ about: { pod }, type: 'Normal', reason, message }),
    ...toClaimRecorder(parts, persistent),
  };
  if (isBlock) {
    const { block } = driver;
    if (block === undefined)
      return fail({
        stage: 'MapVolume.NewBlockVolumeMapper initialization',
        message: 'no block volume plugin matched',
      });
    const mapped = await attemptStage('MapVolume.MapBlockVolume', () => block.map(request));
    if (!mapped.ok) return fail(mapped);
    const { refreshAtMs: dueMs, gauge, ...device } = mapped.value;
    note(state, group, driver, { device, gauge });
    return dueMs === undefined ? {} : { refreshAtMs: dueMs };
  }
  const mounted = await attemptStage('MountVolume.SetUp', () => driver.mount(request));
  if (!mounted.ok) return fail(mounted);
  const { refreshAtMs, gauge, prepared: mount } = mounted.value;
  note(state, group, driver, { mount, gauge });
  return refreshAtMs === undefined ? {} : { refreshAtMs };
}

function toClaimRecorder(
  { events }: SetUpParts,
  persistent: PersistentSource | undefined,
): Pick<VolumeRequest, 'informClaim' | 'warnVolume'> {
  if (persistent === undefined) return {};
  const { claim, volume: persistentVolume } = persistent;
  return {
    warnVolume: (reason, message) =>
      events.record({ about: { persistentVolume }, type: 'Warning', reason, message }),
    informClaim: (type, reason, message) => events.record({ about: { claim }, type, reason, message }),
  };
}

/** The volume is set up: it is known under every name the pod has for it. */
function note(
  state: PodVolumes,
  group: VolumeGroup,
  { plugin, refreshes }: VolumeDriver,
  { gauge, ...content }: Pick<VolumeState, 'mount' | 'device' | 'gauge'>,
): void {
  for (const { volume, innerName, persistent } of group) {
    const csi = persistent?.volume.spec.csi?.driver ?? volume.csi?.driver;
    state.volumes.set(volume.name, {
      ...content,
      plugin: csi === undefined ? plugin : `${plugin}:${csi}`,
      innerName,
      group: persistent && toVolumeGroup(persistent.volume),
      // One that is there already stays: it is still the same volume.
      gauge: state.volumes.get(volume.name)?.gauge ?? gauge,
      mayChange: refreshes,
    });
  }
}

/** By the kind of the volume, or by the name of the driver where it names one. */
async function findDriver(
  { drivers, flexDrivers }: SetUpParts,
  { source, volume, persistent }: ResolvedVolume,
): Promise<VolumeDriver | undefined> {
  const { flexVolume } = persistent?.volume.spec ?? volume;
  if (flexVolume !== undefined) return flexDrivers?.find(flexVolume.driver ?? '');
  return drivers.find((candidate) => candidate.source === source);
}

/** What keeps a persistent volume from this pod or this node; undefined when nothing does. */
async function checkPersistent(
  parts: SetUpParts,
  uid: PodUid,
  state: PodVolumes,
  driver: VolumeDriver,
  { volume, mode }: PersistentSource,
): Promise<VolumeProblem | undefined> {
  const isBlock = mode === 'Block';
  const required = volume.spec.nodeAffinity?.required;
  const node = { name: parts.node.nodeName, labels: parts.readNodeLabels() };
  if (required !== undefined && !matchesNodeSelector(required, node)) {
    const stage = isBlock ? 'MapVolume.NodeAffinity check' : 'MountVolume.NodeAffinity check';
    return { stage, message: 'no matching NodeSelectorTerms' };
  }
  if (!isBlock && driver.takesMountOptions !== true && toMountOptions(volume).length > 0)
    return {
      stage: 'MountVolume.MountOptionSupport check',
      message: 'mount options are not supported for this volume type',
    };
  // A storage driver gets them as they are: what they mean is its business.
  const odd = isBlock || driver.source === 'csi' ? undefined : findOddMountOption(toMountOptions(volume));
  if (odd !== undefined)
    return {
      stage: 'MountVolume.MountOptionSupport check',
      message: `mount option ${quote(odd)} is not passed on: it changes what mount(8) does`,
    };
  const key = `${driver.plugin}/${volume.metadata.name}`;
  const inMemory = [...parts.pods].some(([other, { uses }]) => other !== uid && uses.has(key));
  const taken: VolumeProblem = {
    stage: isBlock ? 'MapVolume.SetUpDevice' : 'MountVolume.SetUp',
    message: 'volume uses the ReadWriteOncePod access mode and is already in use by another pod',
  };
  if (isForOnePod(volume) && inMemory) return taken;
  // Before anything is waited for: of two pods that come at the same time one gets it.
  state.uses.add(key);
  if (!isForOnePod(volume) || !(await isOnDisk(parts, uid, driver.plugin, volume.metadata.name)))
    return undefined;
  state.uses.delete(key);
  return taken;
}

/** Another pod has a place for it: from before the agent started, say. */
async function isOnDisk(
  { files, node: { rootDir } }: SetUpParts,
  uid: PodUid,
  plugin: string,
  name: string,
): Promise<boolean> {
  for (const other of await files.listDirectory(podsDirectory(rootDir))) {
    const otherUid = parsePodUid(other);
    if (otherUid === undefined || otherUid === uid) continue;
    for (const place of [volumeDirectory, volumeDevicePath])
      if (await files.exists(place(rootDir, otherUid, plugin, name))) return true;
  }
  return false;
}
