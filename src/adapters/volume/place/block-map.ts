/**
 * A block device that a pod has as a volume: the pod's link to it, the device
 * bound to a file of the volume's global directory, a loop device that holds
 * it open. The link comes first and goes last: it is the record of the rest.
 */
import { constants } from 'node:fs';
import { dirname } from 'node:path';
import { quote } from '../../../base/text/quote.ts';
import type { Mounter } from '../../../ports/host/mounter.ts';
import type { VolumeRequest } from '../../../ports/storage/volume-driver.ts';
import { makeDirectory } from '../../linux/files/make-directory.ts';
import { hasErrno, toHostError } from '../../linux/host-error.ts';
import type { LoopDevices } from '../../linux/mount/loop-devices.ts';
import { open, readlink, rmdir, symlink, unlink } from '../../linux/storage/storage-fs.ts';
import { openAnything } from './directory-descriptors.ts';

const DIRECTORY_MODE = 0o750;

export interface BlockMapParts {
  readonly mounter: Mounter;
  readonly loops: LoopDevices;
}

export interface BlockMap {
  readonly podUid: string;
  /** `<root>/pods/<uid>/volumeDevices/<plugin>/<name>`. */
  readonly link: string;
  /** Shared by all pods that have the volume; one file for each. */
  readonly globalMapPath: string;
}

/** Every step may be there already. Rejects with AgentError. */
export async function mapBlockDevice(
  { mounter, loops }: BlockMapParts,
  { podUid, link, globalMapPath }: BlockMap,
  device: string,
  signal: AbortSignal,
): Promise<void> {
  const file = `${globalMapPath}/${podUid}`;
  try {
    await makeDirectory(dirname(link), DIRECTORY_MODE);
    await makeLink(device, link);
    await makeDirectory(globalMapPath, DIRECTORY_MODE);
    await makeFile(file);
    if (!(await mounter.mountsBelow(file)).includes(file)) await bindDevice(mounter, device, file, signal);
    if ((await loops.find(file)) === undefined) await loops.attach(file, signal);
  } catch (error) {
    throw toHostError('map', device, error);
  }
}

/** Records for users, once, where all pods have the device, and where this pod has it. */
export function reportMapped(
  { name, directory, isRemount, inform }: VolumeRequest,
  globalMapPath: string,
): void {
  if (isRemount) return;
  const succeeded = `MapVolume.MapPodDevice succeeded for volume ${quote(name)}`;
  inform?.('SuccessfulMountVolume', `${succeeded} globalMapPath ${quote(globalMapPath)}`);
  inform?.('SuccessfulMountVolume', `${succeeded} volumeMapPath ${quote(dirname(directory))}`);
}

/** Nothing there is success. Rejects with AgentError. */
export async function unmapBlockDevice(parts: BlockMapParts, map: BlockMap): Promise<void> {
  await releaseBlockFile(parts, map);
  await removeBlockLink(map.link);
}

/** Lets go of the device but keeps the pod's link, for a caller that has more to undo. Rejects with AgentError. */
export async function releaseBlockFile(
  { mounter, loops }: BlockMapParts,
  { podUid, globalMapPath }: BlockMap,
): Promise<void> {
  const file = `${globalMapPath}/${podUid}`;
  const loop = await loops.find(file);
  if (loop !== undefined) await loops.detach(loop);
  while ((await mounter.mountsBelow(file)).includes(file)) await mounter.unmount(file);
  try {
    await tolerate(unlink(file), 'ENOENT');
    await tolerate(rmdir(globalMapPath), 'ENOENT', 'ENOTEMPTY');
  } catch (error) {
    throw toHostError('unmap', file, error);
  }
}

export async function removeBlockLink(link: string): Promise<void> {
  try {
    await tolerate(unlink(link), 'ENOENT');
  } catch (error) {
    throw toHostError('remove', link, error);
  }
}

async function makeLink(device: string, link: string): Promise<void> {
  const there = await readlink(link).catch(() => undefined);
  if (there === device) return;
  await tolerate(unlink(link), 'ENOENT');
  await symlink(device, link);
}

async function makeFile(path: string): Promise<void> {
  const handle = await open(path, constants.O_CREAT | constants.O_RDONLY | constants.O_NOFOLLOW, 0o660);
  await handle.close();
}

/** Through a descriptor that does not open the device: opening may start it up. */
async function bindDevice(
  mounter: Mounter,
  device: string,
  target: string,
  signal: AbortSignal,
): Promise<void> {
  const handle = await openAnything(device);
  try {
    await mounter.bind(handle.fd, target, signal);
  } finally {
    await handle.close();
  }
}

async function tolerate(work: Promise<void>, ...names: readonly string[]): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!hasErrno(error, ...names)) throw error;
  }
}
