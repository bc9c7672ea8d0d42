/**
 * Staging: a persistent volume is staged on the node once, for all pods that
 * use it, and unstaged with the last of them. Which pods use it is read from
 * disk: the data file in a pod's volume directory exists from before the volume
 * is staged until after it is unstaged.
 */

import { dirname } from 'node:path';
import { AgentError } from '../../base/errors.ts';
import { volumeDevicesDirectory, volumesDirectory } from '../../core/model/pod-paths.ts';
import type { CsiVolume } from '../../core/volume/csi/csi-volume.ts';
import { listPodUids } from '../linux/files/list-pod-uids.ts';
import { makeDirectory } from '../linux/files/make-directory.ts';
import { hasErrno, toHostError } from '../linux/host-error.ts';
import { readdir } from '../linux/storage/storage-fs.ts';
import { type CsiClient, type CsiStage, isFinal } from './csi-client.ts';
import { blockPaths, CSI_PLUGIN, stagedDirectory, stagingPath } from './csi-paths.ts';
import {
  readVolumeData,
  removeEmpty,
  removeVolumeData,
  type VolumeData,
  writeVolumeData,
} from './volume-data.ts';

/** A volume directory of a pod, with what its data file says. */
export interface PodVolumeData {
  readonly podUid: string;
  readonly directory: string;
  readonly data: VolumeData;
}

/** Stages at `request.stagingPath`; rejects with AgentError. After a final refusal nothing is left that was not there before. */
export async function stageVolume(
  client: CsiClient,
  { driver: driverName, mountContext }: Pick<CsiVolume, 'driver' | 'mountContext'>,
  request: CsiStage,
  signal: AbortSignal,
): Promise<void> {
  const place = request.stagingPath;
  const directory = dirname(place);
  try {
    await makeDirectory(place, 0o750);
  } catch (error) {
    throw toHostError('create directory', place, error);
  }
  const isNew = (await readVolumeData(directory)) === undefined;
  const context = mountContext === undefined ? {} : { seLinuxMountContext: mountContext };
  await writeVolumeData(directory, { volumeHandle: request.volumeId, driverName, ...context });
  try {
    await client.stage(request, signal);
  } catch (error) {
    if (isNew && isFinal(error)) await removeVolumeData(directory, place).catch(() => {});
    throw error;
  }
}

/** Takes the staged volume off the node; nothing there is success. Rejects with AgentError. */
export async function unstageVolume(
  client: CsiClient,
  rootDir: string,
  data: VolumeData,
  signal?: AbortSignal,
): Promise<void> {
  const place = stagingPath(rootDir, data.driverName, data.volumeHandle);
  const directory = dirname(place);
  if ((await readVolumeData(directory)) === undefined) {
    await removeEmpty(place);
    await removeEmpty(directory);
    return;
  }
  const capabilities = await client.capabilities(signal);
  if (capabilities.has('stage-unstage')) await client.unstage(data.volumeHandle, place, signal);
  await removeVolumeData(directory, place);
}

/** Every volume directory of a storage driver in any pod. Rejects when one cannot be read: it may be in use. */
export async function findPodVolumes(rootDir: string): Promise<PodVolumeData[]> {
  const found: PodVolumeData[] = [];
  for (const podUid of await listPodUids(rootDir)) {
    const base = `${volumesDirectory(rootDir, podUid)}/${CSI_PLUGIN.replaceAll('/', '~')}`;
    for (const name of await list(base)) {
      const directory = `${base}/${name}`;
      const data = await readVolumeData(directory);
      if (data !== undefined) found.push({ podUid, directory, data });
    }
  }
  return found;
}

/** The same for volumes that pods use as devices; `directory` is the pod's link. */
export async function findPodDevices(rootDir: string): Promise<PodVolumeData[]> {
  const found: PodVolumeData[] = [];
  for (const podUid of await listPodUids(rootDir)) {
    const base = `${volumeDevicesDirectory(rootDir, podUid)}/${CSI_PLUGIN.replaceAll('/', '~')}`;
    for (const name of await list(base)) {
      const data = await readVolumeData(blockPaths(rootDir, name, podUid).data);
      if (data !== undefined) found.push({ podUid, directory: `${base}/${name}`, data });
    }
  }
  return found;
}

/** Staged volumes of a driver that no pod uses. */
export async function findUnusedStaged(rootDir: string, driver: string): Promise<VolumeData[]> {
  const users = await findPodVolumes(rootDir);
  const unused: VolumeData[] = [];
  const base = stagedDirectory(rootDir, driver);
  for (const name of await list(base)) {
    const data = await readVolumeData(`${base}/${name}`);
    if (data !== undefined && !users.some((user) => isSameVolume(user.data, data))) unused.push(data);
  }
  return unused;
}

export function isSameVolume(a: VolumeData, b: VolumeData): boolean {
  return a.driverName === b.driverName && a.volumeHandle === b.volumeHandle;
}

async function list(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error instanceof AgentError ? error : toHostError('list', path, error);
  }
}
