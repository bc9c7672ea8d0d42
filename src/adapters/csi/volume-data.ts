/**
 * The data file beside a volume: which driver it belongs to and by what
 * handle. Written before the driver is called and removed after it has
 * released the volume, so it is the record of what there is to undo, also
 * without an API server. Upstream's format: a flat map of strings.
 */

import { join } from 'node:path';
import { AgentError, errorText } from '../../base/errors.ts';
import type { CsiLifecycleMode } from '../../core/api/storage.ts';
import { isPathComponent } from '../../core/model/path-component.ts';
import type { CsiVolume } from '../../core/volume/csi/csi-volume.ts';
import { replaceFile } from '../linux/files/atomic-file.ts';
import { makeDirectory } from '../linux/files/make-directory.ts';
import { readBounded } from '../linux/files/read-bounded.ts';
import { hasErrno, toHostError } from '../linux/host-error.ts';
import { readdir, rmdir, unlink } from '../linux/storage/storage-fs.ts';
import { attachmentName, uniqueVolumeName, VOLUME_DATA_FILE } from './csi-paths.ts';

/** A few names; handles are a driver's. */
const MAX_DATA_BYTES = 1024 * 1024;

export interface VolumeData {
  readonly driverName: string;
  readonly volumeHandle: string;
  readonly specVolID?: string;
  readonly nodeName?: string;
  readonly attachmentID?: string;
  readonly volumeLifecycleMode?: CsiLifecycleMode;
  readonly seLinuxMountContext?: string;
}

/** What a pod's volume directory or a block volume's data says. */
export function toVolumeData(volume: CsiVolume, nodeName: string): VolumeData {
  const { driver, handle, innerName, mountContext } = volume;
  return {
    specVolID: innerName,
    volumeHandle: handle,
    driverName: driver,
    nodeName,
    attachmentID: attachmentName(handle, driver, nodeName),
    ...(mountContext === undefined ? {} : { seLinuxMountContext: mountContext }),
  };
}

/** What the node's status calls the volume. */
export function uniqueNameOf({ driverName, volumeHandle }: VolumeData): string {
  return uniqueVolumeName(driverName, volumeHandle);
}

/** Undefined when there is none; rejects with AgentError when it cannot be read. */
export async function readVolumeData(directory: string): Promise<VolumeData | undefined> {
  const path = join(directory, VOLUME_DATA_FILE);
  try {
    const data: unknown = JSON.parse(
      (await readBounded(path, { maxBytes: MAX_DATA_BYTES })).toString('utf8'),
    );
    if (isVolumeData(data)) return data;
    throw new Error('it names no driver and volume');
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
    const why = `failed to open volume data file [${path}]: ${errorText(error)}`;
    throw new AgentError('failed-precondition', `kubernetes.io/csi: ${why}`, {
      cause: error,
      retryable: true,
    });
  }
}

/** Makes the directory when it is missing. */
export async function writeVolumeData(directory: string, data: VolumeData): Promise<void> {
  try {
    await makeDirectory(directory, 0o750);
    await replaceFile(join(directory, VOLUME_DATA_FILE), { content: renderVolumeData(data), mode: 0o644 });
  } catch (error) {
    throw toHostError('write', join(directory, VOLUME_DATA_FILE), error);
  }
}

/** Removes the file and the directories that are empty then, the outermost one last; never files of others. */
export async function removeVolumeData(directory: string, ...emptied: readonly string[]): Promise<void> {
  for (const path of emptied) await removeEmpty(path);
  // Left by a kill during a write.
  for (const name of await readdir(directory).catch(() => []))
    if (name.startsWith('.tmp-')) await removeEmpty(join(directory, name));
  try {
    await unlink(join(directory, VOLUME_DATA_FILE));
  } catch (error) {
    if (!hasErrno(error, 'ENOENT')) throw toHostError('remove', join(directory, VOLUME_DATA_FILE), error);
  }
  await removeEmpty(directory);
}

/** Removes an empty directory or file; nothing there is success. Something in it or mounted on it rejects. */
export async function removeEmpty(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return;
    if (!hasErrno(error, 'ENOTDIR')) throw toHostError('remove', path, error);
    await unlink(path).catch((failure: unknown) => {
      throw toHostError('remove', path, failure);
    });
  }
}

/** With sorted keys, as upstream writes it. */
function renderVolumeData(data: VolumeData): string {
  return JSON.stringify(Object.fromEntries(Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

function isVolumeData(data: unknown): data is VolumeData {
  if (typeof data !== 'object' || data === null) return false;
  const { driverName, volumeHandle } = data as Partial<VolumeData>;
  // The driver's name is a part of paths.
  return typeof driverName === 'string' && isPathComponent(driverName) && typeof volumeHandle === 'string';
}
